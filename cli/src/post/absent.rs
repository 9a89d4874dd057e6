//! In place of `http` in a program that was built without it: a request fails, and a gate that needed its answer denies.

use hookspec_bridge::inbound::clients::Request;

pub(crate) fn post(request: Request) -> Result<(u16, String), String> {
    let url = request.url;
    Err(format!("{url} was not asked: this program was built without HTTP; build it with `--features full`"))
}
