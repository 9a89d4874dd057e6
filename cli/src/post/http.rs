//! By HTTP.

use hookspec_bridge::inbound::clients::Request;

/// Most that is read of an answer.
const MOST: usize = 8 * 1024 * 1024;

/// Makes a request: no redirects, everything within its time. Called on a thread that may wait.
pub(crate) fn post(request: Request) -> Result<(u16, String), String> {
    let told = |error: &dyn std::error::Error| {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            text.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        text
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| told(&error))?;
    let (url, limit) = (request.url.clone(), request.timeout);
    let answered = runtime.block_on(async { tokio::time::timeout(limit, send(request)).await });
    match answered {
        Ok(answer) => answer.map_err(|error| told(&error)),
        Err(_) => Err(format!("{url} did not answer within {} s, its time limit", limit.as_secs_f32())),
    }
}

async fn send(request: Request) -> Result<(u16, String), reqwest::Error> {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    let mut call = client.post(&request.url).header("content-type", "application/json").body(request.body);
    for (name, value) in &request.headers {
        call = call.header(name, value);
    }
    let mut answer = call.send().await?;
    let status = answer.status().as_u16();
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > MOST {
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}
