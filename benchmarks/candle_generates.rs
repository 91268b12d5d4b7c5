//! A small transformer with random weights, made on the spot: the CPU and ROCm generate the same tokens.
//!
//! A program on candle-core, candle-nn and candle-transformers of a ported candle, with the feature rocm; run with the
//! machine's libraries on the library path.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{VarBuilder, VarMap};
use candle_transformers::models::llama2_c::{Cache, Config, Llama};
use std::collections::HashMap;

const TOKENS: usize = 24;

fn config() -> Config {
    Config {
        dim: 64,
        hidden_dim: 160,
        n_layers: 2,
        n_heads: 4,
        n_kv_heads: 2,
        vocab_size: 199,
        seq_len: 64,
        norm_eps: 1e-5,
    }
}

/// Greedy tokens, and the logits of the last step.
fn generate(weights: &HashMap<String, Tensor>, device: &Device) -> Result<(Vec<u32>, Vec<f32>)> {
    let moved = weights.iter().map(|(name, w)| Ok((name.clone(), w.to_device(device)?))).collect::<Result<_>>()?;
    let vb = VarBuilder::from_tensors(moved, DType::F32, device);
    let config = config();
    let mut cache = Cache::new(true, &config, vb.pp("rot"))?;
    let model = Llama::load(vb, config)?;
    let mut tokens = vec![1u32, 17, 42, 99, 3];
    let mut last = vec![];
    for step in 0..TOKENS {
        let (from, context) = if step == 0 { (0, &tokens[..]) } else { (tokens.len() - 1, &tokens[tokens.len() - 1..]) };
        let input = Tensor::new(context, device)?.unsqueeze(0)?;
        let logits = model.forward(&input, from, &mut cache)?.squeeze(0)?;
        let logits = logits.get(logits.dim(0)? - 1)?;
        last = logits.to_vec1::<f32>()?;
        tokens.push(logits.argmax(0)?.to_scalar::<u32>()?);
    }
    Ok((tokens, last))
}

fn main() -> Result<()> {
    let map = VarMap::new();
    let vb = VarBuilder::from_varmap(&map, DType::F32, &Device::Cpu);
    Cache::new(true, &config(), vb.pp("rot"))?;
    Llama::load(vb, config())?;
    let weights = map.data().lock().unwrap().iter().map(|(name, var)| (name.clone(), var.as_tensor().clone())).collect();
    let (expected, on_cpu) = generate(&weights, &Device::Cpu)?;
    let (made, on_rocm) = generate(&weights, &Device::new_rocm(0)?)?;
    let apart = on_cpu.iter().zip(&on_rocm).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
    println!("cpu  {expected:?}\nrocm {made:?}\nlast logits apart by {apart:e}");
    assert_eq!(expected, made);
    Ok(())
}
