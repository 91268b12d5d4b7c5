//! Attention on ROCm, fused and unfused, held against float64 on the CPU: how far each is off, in parts of what rounding the
//! result to its type allows.
//!
//! A test of a ported candle-flash-attn (tests/attention_rocm.rs, feature rocm), run by benchmarks/candle_tests.py.

use candle::{DType, Device, Result, Tensor, D};

struct Shape {
    heads: usize,
    heads_k: usize,
    size: usize,
    length: usize,
}

const SHAPES: [Shape; 3] = [
    Shape { heads: 4, heads_k: 4, size: 64, length: 33 },
    Shape { heads: 4, heads_k: 2, size: 64, length: 71 },
    Shape { heads: 4, heads_k: 1, size: 128, length: 45 },
];

fn values(shape: &Shape, heads: usize, seed: usize, kind: DType) -> Result<Tensor> {
    let count = shape.length * heads * shape.size;
    let data: Vec<f32> = (0..count).map(|at| ((at * 2654435761 + seed * 40503) % 4093) as f32 / 1023.25 - 2.).collect();
    Tensor::from_vec(data, (1, shape.length, heads, shape.size), &Device::Cpu)?.to_dtype(kind)
}

/// Causal attention, operation by operation; heads of keys are repeated.
fn unfused(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
    let (_, length, heads, size) = q.dims4()?;
    let repeated = |x: &Tensor| {
        let (b, length, heads_k, size) = x.dims4()?;
        let x = x.transpose(1, 2)?.unsqueeze(2)?.expand((b, heads_k, heads / heads_k, length, size))?;
        x.reshape((b, heads, length, size))
    };
    let (q, k, v) = (q.transpose(1, 2)?.contiguous()?, repeated(k)?, repeated(v)?);
    let scores = (q.matmul(&k.transpose(2, 3)?.contiguous()?)? * (1. / (size as f64).sqrt()))?;
    let mask: Vec<f32> = (0..length * length).map(|at| if at % length > at / length { -1e4 } else { 0. }).collect();
    let mask = Tensor::from_vec(mask, (length, length), &Device::Cpu)?.to_dtype(q.dtype())?.to_device(q.device())?;
    let scores = scores.broadcast_add(&mask)?;
    let weights = if q.dtype() == DType::F64 {
        let raised = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?)?.exp()?;
        raised.broadcast_div(&raised.sum_keepdim(D::Minus1)?)?
    } else {
        candle_nn::ops::softmax_last_dim(&scores)?
    };
    weights.matmul(&v)?.transpose(1, 2)
}

fn off_by(made: &Tensor, right: &Tensor, unit: f64) -> Result<f64> {
    let made = made.to_device(&Device::Cpu)?.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>()?;
    let right = right.flatten_all()?.to_vec1::<f64>()?;
    Ok(made.iter().zip(&right).map(|(a, b)| (a - b).abs() / (unit * b.abs() + 1e-5)).fold(0., f64::max))
}

/// How far ROCm is off, and the CPU in the same type.
fn each(fused: bool) -> Result<Vec<(f64, f64)>> {
    let device = Device::new_rocm(0)?;
    let mut found = vec![];
    for shape in &SHAPES {
        for (kind, unit) in [(DType::F16, 1. / 2048.), (DType::BF16, 1. / 256.), (DType::F32, 1e-5)] {
            if fused && kind == DType::F32 {
                continue;
            }
            let (q, k) = (values(shape, shape.heads, 1, kind)?, values(shape, shape.heads_k, 2, kind)?);
            let v = values(shape, shape.heads_k, 3, kind)?;
            let right = unfused(&q.to_dtype(DType::F64)?, &k.to_dtype(DType::F64)?, &v.to_dtype(DType::F64)?)?;
            // The CPU has no products of bfloat16, whose rounding is eight times as coarse as float16's.
            let on_cpu = match unfused(&q, &k, &v) {
                Ok(made) => off_by(&made, &right, unit)?,
                Err(_) => found.last().map_or(0., |(_, of_f16): &(f64, f64)| 8. * of_f16),
            };
            let (q, k, v) = (q.to_device(&device)?, k.to_device(&device)?, v.to_device(&device)?);
            let scale = 1. / (shape.size as f32).sqrt();
            let made = if fused { candle_flash_attn::flash_attn(&q, &k, &v, scale, true)? } else { unfused(&q, &k, &v)? };
            let off = off_by(&made, &right, unit)?;
            println!("size {} heads {}/{} length {} {kind:?}: {off:.2} (cpu {on_cpu:.2})", shape.size, shape.heads, shape.heads_k, shape.length);
            found.push((off, on_cpu));
        }
    }
    Ok(found)
}

#[test]
fn fused_rocm() -> Result<()> {
    assert!(each(true)?.iter().all(|(off, _)| *off <= 1.));
    Ok(())
}

/// Scores and weights are rounded to the type on their way: 16-bit types are far off on every device. ROCm may be no further
/// off than twice as far as the CPU.
#[test]
fn unfused_rocm() -> Result<()> {
    assert!(each(false)?.iter().all(|(off, on_cpu)| *off <= 1. + 2. * on_cpu));
    Ok(())
}
