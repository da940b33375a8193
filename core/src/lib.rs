//! Everything in Toolward that decides.
//!
//! A check enters as a [`check::Request`] and leaves as a [`check::Outcome`]. Between them stand the rooms: [`turn`]
//! reads what the model wrote, [`tools`] knows what it was offered, [`trajectory`] knows what happened before,
//! [`layers`] find, [`policy`] says what a finding means, [`decide`] folds findings into decisions.
//!
//! The crate is pure: no runtime, no clock, no file, no socket. What it needs of those is handed in.

pub mod check;
pub mod code;
pub mod decide;
pub mod finding;
pub mod json;
pub mod layers;
pub mod limits;
pub mod policy;
pub mod tools;
pub mod trajectory;
pub mod turn;
