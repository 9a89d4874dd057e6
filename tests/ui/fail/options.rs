use hookspec::{hook, points::FILE_POST_SAVE};

#[hook(FILE_POST_SAVE, priorty = 5)]
fn misspelt() {}

#[hook(FILE_POST_SAVE, priority = 5, priority = 6)]
fn repeated() {}

#[hook(FILE_POST_SAVE, priority = "high")]
fn wrong_kind() {}

#[hook(FILE_POST_SAVE, once = true)]
fn a_flag_with_a_value() {}

#[hook(FILE_POST_SAVE, budget = "30")]
fn no_unit() {}

#[hook(FILE_POST_SAVE, modes = [cli, servr])]
fn unknown_mode() {}

#[hook(FILE_POST_SAVE, name = "a b")]
fn bad_name() {}

#[hook(FILE_POST_SAVE, quarantine = 0)]
fn never() {}

#[hook(FILE_POST_SAVE, timeout = "30s")]
fn cannot_be_cut_off() {}

#[hook(FILE_POST_SAVE, blocking)]
async fn async_and_blocking() {}

#[hook(FILE_POST_SAVE, background, blocking)]
fn both() {}

#[hook]
fn nowhere() {}

fn main() {}
