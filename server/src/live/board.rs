//! The session's part of the desk: questions become events.

use std::sync::Arc;

use hookspec::ask::{Elicitation, Why};
use hookspec_builtins::desk::{Board, BoardError, Ended, Pending, Question};

use crate::events::{Closed, Event, PendingElicitation, PendingTool, ShownCall};
use crate::feed::Feed;

use super::show::CallNames;

/// Shows questions to the clients of one session.
pub(crate) struct Shown {
    pub(crate) feed: Arc<Feed>,
    pub(crate) names: Arc<CallNames>,
}

/// A question as clients see it.
pub(crate) enum ShownQuestion {
    Tool(PendingTool),
    Elicitation(PendingElicitation),
}

/// The question as clients see it.
pub(crate) fn shown_question(pending: &Pending) -> ShownQuestion {
    match &pending.question {
        Question::Tool(question) => ShownQuestion::Tool(PendingTool {
            tool_id: pending.id.clone(),
            tooluse: ShownCall {
                tool: question.tool_use.tool.clone(),
                args: question.tool_use.args.clone(),
                content: question.content.clone(),
                kwargs: question.tool_use.kwargs.clone(),
            },
            auto_confirm: false,
            preview: question.preview.clone(),
            why: match &question.why {
                Why::Policy => None,
                Why::Gate(reason) => Some(reason.clone()),
            },
        }),
        Question::Elicit(request) => ShownQuestion::Elicitation(elicitation(&pending.id, request)),
    }
}

fn elicitation(id: &str, request: &Elicitation) -> PendingElicitation {
    PendingElicitation {
        elicit_id: id.to_owned(),
        elicit_type: request.kind,
        prompt: request.prompt.clone(),
        options: request.options.clone(),
        fields: request.fields.clone(),
        default: request.default.clone(),
        description: request.description.clone(),
    }
}

impl Board for Shown {
    fn up(&self, pending: &Pending) -> Result<(), BoardError> {
        if let Question::Tool(question) = &pending.question {
            self.names.set(&question.tool_use, &pending.id);
        }
        self.feed.publish(&match &shown_question(pending) {
            ShownQuestion::Tool(tool) => Event::ToolPending(tool),
            ShownQuestion::Elicitation(question) => Event::ElicitPending(question),
        });
        Ok(())
    }

    fn down(&self, pending: &Pending, end: Ended) {
        let how = match end {
            Ended::Answered => Closed::Answered,
            Ended::TimedOut => Closed::TimedOut,
            Ended::Interrupted => Closed::Interrupted,
            Ended::Withdrawn => Closed::Withdrawn,
        };
        self.feed.publish(&Event::QuestionClosed { id: &pending.id, how });
    }
}
