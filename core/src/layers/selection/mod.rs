//! The selection layer.
