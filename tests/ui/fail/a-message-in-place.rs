use hookspec::points::{MESSAGE_PRE_PROCESS, MESSAGE_TRANSFORM};
use hookspec::{Flow, Fold, Message, hook};

#[hook(MESSAGE_TRANSFORM)]
fn added(message: &Message) -> Message {
    message.clone()
}

#[hook(MESSAGE_PRE_PROCESS)]
fn added_sometimes(message: &Message) -> Option<Message> {
    (!message.content.is_empty()).then(|| message.clone())
}

#[hook(MESSAGE_TRANSFORM)]
async fn added_or_failed(message: &Message) -> Result<(Message, Flow), std::io::Error> {
    Ok((message.clone(), Flow::Stop))
}

#[hook(MESSAGE_TRANSFORM)]
fn put_in_place(message: &Message) -> (Vec<Message>, Fold<Message>) {
    (vec![Message::system("I changed it.")], Fold(message.clone()))
}

#[hook(MESSAGE_TRANSFORM, background)]
fn seen(message: &Message) -> Message {
    message.clone()
}

fn main() {}
