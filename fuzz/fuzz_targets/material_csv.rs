#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| supple_fuzz::material_csv(bytes));
