//! Faults that candle's CUDA back end is known for, asked of the ROCm back end that was made from it: each test holds ROCm
//! against the CPU. One that fails is a fault that was carried over.
//!
//! A test of a ported candle-core (tests/rocm_faults.rs, feature rocm), run by benchmarks/candle_tests.py.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};

fn values(shape: (usize, usize), device: &Device) -> Result<Tensor> {
    let data: Vec<f32> = (0..shape.0 * shape.1).map(|at| ((at * 2654435761) % 1009) as f32 / 504.5 - 1.).collect();
    Tensor::from_vec(data, shape, &Device::Cpu)?.to_device(device)
}

/// The largest difference, in parts of the largest value.
fn apart(one: &Tensor, other: &Tensor) -> Result<f32> {
    let (one, other) = (one.flatten_all()?.to_vec1::<f32>()?, other.to_device(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>()?);
    let largest = one.iter().fold(1e-6f32, |most, x| most.max(x.abs()));
    Ok(one.iter().zip(&other).fold(0f32, |most, (a, b)| most.max((a - b).abs())) / largest)
}

/// `index_add` applies the offset of a view a second time, to the copy that it made.
#[test]
fn index_add_into_a_view_rocm() -> Result<()> {
    let add = |device: &Device| {
        let ids = Tensor::new(&[1u32, 0, 1], device)?;
        values((6, 4), device)?.narrow(0, 2, 3)?.index_add(&ids, &values((3, 4), device)?, 0)
    };
    assert_eq!(apart(&add(&Device::Cpu)?, &add(&Device::new_rocm(0)?)?)?, 0.);
    Ok(())
}

/// Products of a quantised matrix with a vector, for a number of rows that is odd.
#[test]
fn quantised_product_with_odd_rows_rocm() -> Result<()> {
    for (rows, kind) in [(7, GgmlDType::Q4_0), (13, GgmlDType::Q8_0), (5, GgmlDType::Q4K), (3, GgmlDType::Q6K)] {
        let product = |device: &Device| {
            let weights = QTensor::quantize(&values((rows, 256), device)?, kind)?;
            QMatMul::from_qtensor(weights)?.forward(&values((1, 256), device)?)
        };
        let off = apart(&product(&Device::Cpu)?, &product(&Device::new_rocm(0)?)?)?;
        assert!(off < 0.03, "{rows} rows of {kind:?}: apart by {off}");
    }
    Ok(())
}

fn experts(kind: GgmlDType) -> Result<f32> {
    const EXPERTS: usize = 3;
    let rocm = Device::new_rocm(0)?;
    let weights = values((EXPERTS * 4, 256), &Device::Cpu)?.reshape((EXPERTS, 4, 256))?;
    let x = values((2, 256), &Device::Cpu)?.reshape((2, 1, 256))?;
    let ids = [[2u32, 0], [1, 2]];
    let plain = QTensor::quantize(&weights, kind)?.dequantize(&Device::Cpu)?;
    let expected = Tensor::stack(
        &(0..2)
            .map(|n| {
                let made = ids[n].iter().map(|id| plain.get(*id as usize)?.matmul(&x.get(n)?.t()?)?.t());
                Tensor::cat(&made.collect::<Result<Vec<_>>>()?, 0)
            })
            .collect::<Result<Vec<_>>>()?,
        0,
    )?;
    let quantised = QTensor::quantize(&weights.to_device(&rocm)?, kind)?;
    let made = quantised.indexed_moe_forward(&x.to_device(&rocm)?, &Tensor::new(&ids, &rocm)?)?;
    apart(&expected, &made)
}

/// A mixture of experts steps from one expert's weights to the next by blocks of 256, whatever the type's blocks are.
#[test]
fn experts_of_blocks_of_32_rocm() -> Result<()> {
    let off = experts(GgmlDType::Q8_0)?;
    assert!(off < 0.03, "apart by {off}");
    Ok(())
}

#[test]
fn experts_of_blocks_of_256_rocm() -> Result<()> {
    let off = experts(GgmlDType::Q4K)?;
    assert!(off < 0.03, "apart by {off}");
    Ok(())
}

/// 8-bit floats: the back end asks for kernels by a name that the sources do not have.
#[test]
fn eight_bit_floats_rocm() -> Result<()> {
    let there_and_back = |device: &Device| values((4, 8), device)?.to_dtype(DType::F8E4M3)?.to_dtype(DType::F32);
    assert_eq!(apart(&there_and_back(&Device::Cpu)?, &there_and_back(&Device::new_rocm(0)?)?)?, 0.);
    Ok(())
}
