fn mistake() {
    #[allow(unused_imports)]
    use FILE_POST_SAVE as _;
}
::core::compile_error! {
    "unknown option `onec` for `#[hook]`; did you mean `once`?\nthe options are `priority`, `before`, `after`, `tools`, `paths`, `name`, `aliases`, `enabled`, `modes`, `once`, `background`, `blocking`, `timeout`, `budget`, `on_error`, `quarantine`, `fail_open`, `tool`, `confirmation`"
}
