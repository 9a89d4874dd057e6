#[hook(FILE_POST_SAVE)]
#[cfg(unix)]
fn iterator<'a>(path: &'a Path, content: &'a str) -> Each<impl Iterator<Item = Message>> {
    lines(path, content)
}
