//! Arrays in and out. What comes in is converted by NumPy where nothing is lost, refused with the argument's name where not, and
//! copied; what goes out belongs to Python.

use numpy::{
    PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use numpy::{PyArray2, PyArray3, PyReadonlyArrayDyn};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::bad;

/// `numpy.asarray(value)`.
fn as_array<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let array = numpy.call_method1(intern!(py, "asarray"), (value,)).map_err(|e| {
        // Rows of different length, objects that refuse.
        let wrong = PyTypeError::new_err(format!("{name} must be an array of numbers: {}", e.value(py)));
        wrong.set_cause(py, Some(e));
        wrong
    })?;
    Ok(array.cast_into::<PyUntypedArray>()?)
}

/// The array as C-ordered `dtype`, if its numbers are of one of the `kinds` (NumPy's letters).
fn convert<'py, T: numpy::Element>(
    array: &Bound<'py, PyUntypedArray>,
    name: &str,
    (kinds, wanted, dtype): (&[u8], &str, &str),
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let py = array.py();
    // An empty list has NumPy's default type, which says nothing.
    if !kinds.contains(&array.dtype().kind()) && array.len() > 0 {
        let found = array.dtype();
        return Err(PyTypeError::new_err(format!("{name} must hold {wanted}, not {found}")));
    }
    let options = PyDict::new(py);
    options.set_item(intern!(py, "dtype"), dtype)?;
    options.set_item(intern!(py, "order"), "C")?;
    let numpy = py.import(intern!(py, "numpy"))?;
    let array = numpy.call_method(intern!(py, "asarray"), (array,), Some(&options))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?.try_readonly()?)
}

/// A shape as NumPy writes it.
pub fn shown(shape: &[usize]) -> String {
    let inner = shape.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    if shape.len() == 1 { format!("({inner},)") } else { format!("({inner})") }
}

/// Any array of real numbers, as f64, with its shape.
pub fn reals(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let array = as_array(value, name)?;
    let array = convert::<f64>(&array, name, (b"fiu", "real numbers", "float64"))?;
    Ok((array.as_slice()?.to_vec(), array.shape().to_vec()))
}

/// An array of shape (n, 3); with `rows` n must be that.
pub fn points(value: &Bound<'_, PyAny>, name: &str, rows: Option<usize>) -> PyResult<Vec<[f64; 3]>> {
    let (values, shape) = reals(value, name)?;
    // An empty list is an empty array of points.
    if values.is_empty() && rows.is_none_or(|n| n == 0) && shape.first() == Some(&0) {
        return Ok(Vec::new());
    }
    if shape.len() != 2 || shape[1] != 3 || rows.is_some_and(|n| n != shape[0]) {
        let rows = rows.map_or_else(|| "n".to_string(), |n| n.to_string());
        return Err(bad(format!("{name} must have shape ({rows}, 3), not {}", shown(&shape))));
    }
    Ok(values.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect())
}

/// A number for all, or an array of `n` of them.
pub fn each(value: &Bound<'_, PyAny>, name: &str, n: usize) -> PyResult<Vec<f64>> {
    let (values, shape) = reals(value, name)?;
    match shape.len() {
        0 => Ok(vec![values[0]; n]),
        1 if shape[0] == n => Ok(values),
        _ => Err(bad(format!("{name} must be a number or have shape ({n},), not {}", shown(&shape)))),
    }
}

/// Three numbers.
pub fn vector(value: &Bound<'_, PyAny>, name: &str) -> PyResult<[f64; 3]> {
    let (values, shape) = reals(value, name)?;
    match (shape.as_slice(), values.as_slice()) {
        ([3], &[a, b, c]) => Ok([a, b, c]),
        _ => Err(bad(format!("{name} must have shape (3,), not {}", shown(&shape)))),
    }
}

/// Node numbers below `nodes`, all of them with their shape.
fn integers(
    array: &Bound<'_, PyUntypedArray>,
    name: &str,
    nodes: usize,
    row: usize,
) -> PyResult<(Vec<u32>, Vec<usize>)> {
    let shape = array.shape().to_vec();
    let check = |i: usize, v: i128| match u32::try_from(v) {
        Ok(v) if (v as usize) < nodes => Ok(v),
        _ => {
            let place = if row > 1 { format!("{name}[{}]", i / row) } else { format!("{name}[{i}]") };
            let why = if v < 0 { "is negative".to_string() } else { format!("is not below {nodes}") };
            Err(bad(format!("{place}: node {v} {why} (the body has {nodes} nodes)")))
        }
    };
    // Unsigned numbers may be too large for i64.
    let values = if array.dtype().kind() == b'u' {
        let a = convert::<u64>(array, name, (b"u", "integers", "uint64"))?;
        a.as_slice()?.iter().enumerate().map(|(i, v)| check(i, i128::from(*v))).collect::<PyResult<_>>()?
    } else {
        let a = convert::<i64>(array, name, (b"i", "integers", "int64"))?;
        a.as_slice()?.iter().enumerate().map(|(i, v)| check(i, i128::from(*v))).collect::<PyResult<_>>()?
    };
    Ok((values, shape))
}

/// Elements of N nodes: an array of shape (m, N).
pub fn elements<const N: usize>(
    value: &Bound<'_, PyAny>,
    name: &str,
    nodes: usize,
) -> PyResult<Vec<[u32; N]>> {
    let array = as_array(value, name)?;
    let shape = array.shape();
    if shape.len() != 2 || shape[1] != N {
        return Err(bad(format!("{name} must have shape (m, {N}), not {}", shown(shape))));
    }
    let (values, _) = integers(&array, name, nodes, N)?;
    Ok(values.chunks_exact(N).map(|c| std::array::from_fn(|i| c[i])).collect())
}

/// True for a mask of this length.
pub fn is_mask(value: &Bound<'_, PyAny>, length: usize) -> bool {
    as_array(value, "ids").is_ok_and(|a| a.dtype().kind() == b'b' && a.shape() == [length])
}

/// Ids of nodes of a body with `nodes` of them: integers, or a mask.
pub fn ids(value: &Bound<'_, PyAny>, name: &str, nodes: usize) -> PyResult<Vec<u32>> {
    let array = as_array(value, name)?;
    if array.dtype().kind() == b'b' {
        if array.shape() != [nodes] {
            let found = shown(array.shape());
            return Err(bad(format!("the mask {name} must have shape ({nodes},), not {found}")));
        }
        let mask = convert::<bool>(&array, name, (b"b", "booleans", "bool"))?;
        return Ok((0..nodes as u32).zip(mask.as_slice()?).filter(|(_, m)| **m).map(|(i, _)| i).collect());
    }
    let (values, shape) = integers(&array, name, nodes, 1)?;
    if shape.len() > 1 {
        return Err(bad(format!("{name} must have shape (k,), not {}", shown(&shape))));
    }
    Ok(values)
}

/// Matrices by columns, and the shape that they stood in.
type Matrices = (Vec<[[f64; 3]; 3]>, Vec<usize>);

/// Matrices: an array of shape (…, 3, 3), each by columns, and the shape of what stands before.
pub fn matrices(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Matrices> {
    let (values, mut shape) = reals(value, name)?;
    if shape.len() < 2 || shape[shape.len() - 2..] != [3, 3] {
        return Err(bad(format!("{name} must have shape (..., 3, 3), not {}", shown(&shape))));
    }
    shape.truncate(shape.len() - 2);
    if let Some(i) = values.iter().position(|v| !v.is_finite()) {
        return Err(bad(format!("{name}{} is not finite", place(&shape, i / 9))));
    }
    let by_columns = |c: &[f64]| std::array::from_fn(|j| std::array::from_fn(|i| c[3 * i + j]));
    Ok((values.chunks_exact(9).map(by_columns).collect(), shape))
}

/// `[2, 0]`: the index of an element of an array, by its number; nothing for a single one.
pub fn place(shape: &[usize], number: usize) -> String {
    if shape.is_empty() {
        return String::new();
    }
    let mut index = vec![0; shape.len()];
    let mut rest = number;
    for (i, n) in shape.iter().enumerate().rev() {
        (index[i], rest) = (rest % n, rest / n);
    }
    format!("[{}]", index.iter().map(|i| i.to_string()).collect::<Vec<_>>().join(", "))
}

/// An array of shape (n, 3), made of the vector itself.
pub fn rows<'py>(py: Python<'py>, rows: Vec<[f64; 3]>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let n = rows.len();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([n, 3])
}

/// An array of shape (m, N) of node numbers.
pub fn node_rows<'py, const N: usize>(
    py: Python<'py>,
    rows: &[[u32; N]],
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let n = rows.len();
    let flat: Vec<i64> = rows.iter().flatten().map(|&v| i64::from(v)).collect();
    PyArray1::from_vec(py, flat).reshape([n, N])
}

/// An array of shape (m, 3, 3) from matrices by columns.
pub fn matrix_rows<'py>(
    py: Python<'py>,
    matrices: impl ExactSizeIterator<Item = [f64; 9]>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let m = matrices.len();
    let mut flat = Vec::with_capacity(9 * m);
    for a in matrices {
        flat.extend([0, 3, 6, 1, 4, 7, 2, 5, 8].map(|q| a[q]));
    }
    PyArray1::from_vec(py, flat).reshape([m, 3, 3])
}

/// An array of any shape.
pub fn shaped<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: Vec<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}

/// Lets `fill` write into an array of shape (rows, 3) that the caller gives, or into a new one.
pub fn filled<'py>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyAny>>,
    rows: usize,
    fill: impl FnOnce(&mut [[f64; 3]]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let array = match out {
        None => PyArray2::<f64>::zeros(py, [rows, 3], false),
        Some(out) => {
            let array = out.cast::<PyArray2<f64>>();
            let array =
                array.map_err(|_| PyTypeError::new_err("out must be a float64 array of two dimensions"))?;
            array.clone()
        }
    };
    if array.shape() != [rows, 3] {
        return Err(bad(format!("out must have shape ({rows}, 3), not {}", shown(array.shape()))));
    }
    if !array.is_c_contiguous() {
        return Err(bad("out must be contiguous, in C's order"));
    }
    {
        let mut writable = array.try_readwrite().map_err(|e| bad(format!("out cannot be written: {e}")))?;
        let slice = writable.as_slice_mut().map_err(|_| bad("out must be contiguous, in C's order"))?;
        fill(slice.as_chunks_mut::<3>().0)?;
    }
    Ok(array)
}
