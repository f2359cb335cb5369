//! What the module does in the browser, natively: `record SCENE FRAMES` writes frames as bits to standard output, `record same SCENE FRAMES` those
//! without fused multiply-add, and `record time STEPS` reads a scene from standard input and prints the seconds of its fastest step.
use std::io::{Read, Write};
use std::time::Instant;

fn run() -> Result<(), String> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|w| w == "same") {
        words.remove(0);
        supple::math::lane::one_by_one();
    }
    let [what, number] = &words[..] else {
        return Err("usage: record [same] SCENE FRAMES, record time STEPS".into());
    };
    let number: usize = number.parse().map_err(|e| format!("{number}: {e}"))?;
    let out = if what == "time" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|e| e.to_string())?;
        let start = Instant::now();
        let fastest = supple_web::record::fastest_frame(&text, number, || start.elapsed().as_secs_f64())?;
        format!("{fastest}\n").into_bytes()
    } else {
        supple_web::record::record(what, number)?
    };
    std::io::stdout().write_all(&out).map_err(|e| e.to_string())
}

fn main() -> Result<(), String> {
    run()
}
