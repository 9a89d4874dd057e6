//! The measurements are in `benches/`; this library is empty.
