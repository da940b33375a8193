//! The schema layer.
