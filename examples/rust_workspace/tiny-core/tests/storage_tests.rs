use tiny_core::{test_device, Device, Result, Square};

fn affine(device: &Device) -> Result<()> {
    let data: Vec<f32> = (0..3000).map(|x| x as f32).collect();
    let made = device.storage(data.clone())?.affine(2., 1.)?.to_vec()?;
    let expected: Vec<f32> = data.iter().map(|x| x * 2. + 1.).collect();
    assert_eq!(made, expected);
    Ok(())
}

fn sum_rows(device: &Device) -> Result<()> {
    let data: Vec<f32> = (0..5 * 77).map(|x| x as f32).collect();
    let made = device.storage(data.clone())?.sum_rows(77)?.to_vec()?;
    let expected: Vec<f32> = data.chunks(77).map(|row| row.iter().sum()).collect();
    assert_eq!(made, expected);
    Ok(())
}

fn squares(device: &Device) -> Result<()> {
    let made = device.storage(vec![1., 2., 3.])?.apply(&Square);
    if device.is_cpu() {
        assert_eq!(made?.to_vec()?, [1., 4., 9.]);
    } else {
        assert!(made.unwrap_err().to_string().contains("no "));
    }
    Ok(())
}

test_device!(affine, affine_cpu, affine_cuda);
test_device!(sum_rows, sum_rows_cpu, sum_rows_cuda);
test_device!(squares, squares_cpu, squares_cuda);
