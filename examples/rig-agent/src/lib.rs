//! Hooks before and around what rig's loop does: its tools and its model. The loop itself stays rig's.

use hookspec::points::{TOOL_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::tool::{ToolError, ToolOutput, ToolResult, ToolUse};
use hookspec::{Message, Session, around, fire, hook_point};
use rig_agent::bus::Bus;
use rig_agent::core::completion::CompletionRequest;
use rig_agent::core::effect::{EffectId, EffectKind, HandlerDescriptor, HandlerKey, Outcome, family};
use rig_agent::core::error::{ErrorKind, ErrorReport};
use rig_agent::core::operation::Completion;
use rig_agent::core::serve::{Dispatch, ErasedHandler, Reply, Serve, adapters::ModelAdapter};
use rig_agent::core::tool::{DynamicTool, ToolExecutionError, ToolOutput as RigOutput};
use rig_agent::core::{DynModel, serde_json::Value};
use rig_agent::{AgentBuilder, agent::NoToolConfig};

/// What a completion gives.
pub type Answer = Result<Outcome, ErrorReport>;

hook_point! {
    /// Rig's loop asks its model: hooks may change the request, ask again, or answer in its place.
    pub MODEL_CALL("rig.model", local) -> Around<Answer> {
        /// What is asked.
        #[fold]
        request: &CompletionRequest,
    }
}

/// Rig's builder of agents, over a model that hooks stand around. To be called within a tokio runtime.
pub fn agent(
    session: &Session,
    model: impl Into<DynModel<Completion>>,
) -> Result<AgentBuilder<NoToolConfig>, Box<ErrorReport>> {
    let key = HandlerKey::from("model:hooked");
    let inner = ErasedHandler::new(ModelAdapter::new("hooked", model));
    let (dispatcher, registrar, mut driver) = Bus::channel();
    driver.register(key.clone(), Hooked { inner, session: session.clone() }).map_err(Box::new)?;
    tokio::spawn(driver);
    Ok(AgentBuilder::over_bus(dispatcher, registrar, session.id(), key))
}

/// A tool of rig's that gates are asked about, and that hooks stand around.
pub fn tool(session: &Session, tool: DynamicTool) -> DynamicTool {
    let (session, (about, handler, _)) = (session.clone(), tool.into_parts());
    let name = about.name.clone();
    DynamicTool::new(about.name, about.description, about.parameters, move |args| {
        let (session, handler, name) = (session.clone(), handler.clone(), name.to_string());
        Box::pin(async move { call(&session, &handler, name, args).await })
    })
}

async fn call(
    session: &Session,
    tool: &ErasedHandler,
    name: String,
    args: Value,
) -> Result<RigOutput, ToolExecutionError> {
    let kwargs = args.as_object().cloned().unwrap_or_default();
    let call = ToolUse::native(name, "", kwargs);
    if let Some((reason, hook)) = fire!(session, TOOL_PRE_EXECUTE { tool_use: &call }).await.denied() {
        return Err(ToolExecutionError::refused(format!("{reason} ({hook})")));
    }
    let wrapped = around!(session, TOOL_EXECUTE { tool_use: &call }, async |event| {
        let args = Value::Object(event.tool_use.kwargs.clone()).to_string();
        let kind = EffectKind::ToolCall { name: event.tool_use.tool.clone(), args };
        ran(tool.handle(kind, Dispatch::new(EffectId::from_raw(0), false)).await.into_outcome().await)
    });
    let output = wrapped.await.into_result().map_err(ToolExecutionError::from_error)?;
    let texts = output.map_err(ToolExecutionError::from_error)?.messages;
    Ok(RigOutput::text(texts.into_iter().map(|message| message.content).collect::<Vec<_>>().join("\n")))
}

/// What rig says of a run of a tool, as hooks know it.
fn ran(outcome: Answer) -> ToolResult {
    match outcome {
        Ok(Outcome::ToolResult { result }) => match result.error() {
            None => {
                Ok(ToolOutput { messages: vec![Message::system(result.output().render())], status: None })
            }
            Some(error) => Err(ToolError::Failed(error.message().to_owned())),
        },
        Ok(_) => Err(ToolError::Failed("this is no result of a tool".to_owned())),
        Err(report) => Err(ToolError::Failed(report.message)),
    }
}

/// A model with hooks around it.
struct Hooked {
    inner: ErasedHandler,
    session: Session,
}

impl Serve for Hooked {
    type Family = family::Dynamic;

    fn descriptor(&self) -> HandlerDescriptor {
        self.inner.descriptor()
    }

    async fn serve(&self, kind: EffectKind, dispatch: Dispatch) -> Reply {
        let EffectKind::Completion { request, stream } = kind else {
            return self.inner.handle(kind, dispatch).await;
        };
        let wrapped = around!(self.session, MODEL_CALL { request: &request }, async |event| {
            let kind = EffectKind::Completion { request: event.request.clone(), stream };
            let again = dispatch
                .scopes()
                .into_iter()
                .fold(Dispatch::new(dispatch.id(), stream), Dispatch::with_scope);
            self.inner.handle(kind, again).await.into_outcome().await
        });
        Reply::Outcome(match wrapped.await.into_result() {
            Ok(answer) => answer,
            Err(lost) => Err(ErrorReport::new(ErrorKind::Internal, lost.to_string())),
        })
    }
}
