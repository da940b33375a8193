//! The cascade layer.
