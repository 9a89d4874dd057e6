//! The map from clients' events to hook points.

use hookspec::point::{Point, PointInfo};
use hookspec::points as p;

use crate::client::Client;

/// What kind of moment an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each is the variant of `Moment` of that name; `Verify` and `TurnOver` are kinds of `Rest`
pub enum Kind {
    SessionStart,
    SessionEnd,
    Prompt,
    ToolPre,
    ToolConfirm,
    ToolPost,
    FileEdited,
    StepOver,
    StepBegin,
    ModelPre,
    ModelPost,
    Answered,
    Shown,
    Thought,
    Rest,
    Verify,
    TurnOver,
    Interrupted,
    CwdChanged,
    CacheInvalidated,
    Failed,
    Elicit,
    Other,
}

const fn info<P: Point>(_: P) -> &'static PointInfo {
    P::INFO
}

impl Kind {
    /// The points that are fired, in this order.
    #[must_use]
    pub fn points(self) -> &'static [&'static PointInfo] {
        const SESSION_START: &[&PointInfo] = &[info(p::SESSION_START)];
        const SESSION_END: &[&PointInfo] = &[info(p::SESSION_END)];
        const PROMPT: &[&PointInfo] = &[info(p::MESSAGE_PRE_PROCESS), info(p::TURN_PRE)];
        const TOOL_PRE: &[&PointInfo] = &[
            info(p::TOOL_TRANSFORM),
            info(p::TOOL_PRE_EXECUTE),
            info(p::TOOL_CONFIRM),
            info(p::FILE_PRE_SAVE),
            info(p::FILE_PRE_PATCH),
        ];
        const TOOL_CONFIRM: &[&PointInfo] = &[info(p::TOOL_CONFIRM)];
        const TOOL_POST: &[&PointInfo] = &[
            info(p::FILE_POST_SAVE),
            info(p::FILE_POST_PATCH),
            info(p::ERROR),
            info(p::TOOL_POST_EXECUTE),
            info(p::TOOL_RESULT_TRANSFORM),
        ];
        const FILE_EDITED: &[&PointInfo] = &[info(p::FILE_POST_SAVE), info(p::FILE_POST_PATCH)];
        const STEP_OVER: &[&PointInfo] = &[info(p::STEP_POST)];
        const STEP_BEGIN: &[&PointInfo] = &[info(p::STEP_PRE)];
        const MODEL_PRE: &[&PointInfo] = &[info(p::STEP_PRE), info(p::GENERATION_PRE)];
        const MODEL_POST: &[&PointInfo] =
            &[info(p::GENERATION_CHUNK), info(p::GENERATION_POST), info(p::MESSAGE_TRANSFORM)];
        const ANSWERED: &[&PointInfo] = &[info(p::GENERATION_POST), info(p::MESSAGE_POST_PROCESS)];
        const SHOWN: &[&PointInfo] = &[info(p::GENERATION_CHUNK), info(p::MESSAGE_TRANSFORM)];
        const THOUGHT: &[&PointInfo] = &[info(p::GENERATION_CHUNK)];
        const REST: &[&PointInfo] = &[
            info(p::MESSAGE_POST_PROCESS),
            info(p::GENERATION_INTERRUPT),
            info(p::TURN_POST),
            info(p::LOOP_CONTINUE),
        ];
        const VERIFY: &[&PointInfo] = &[info(p::LOOP_CONTINUE)];
        const TURN_OVER: &[&PointInfo] = &[info(p::GENERATION_INTERRUPT), info(p::TURN_POST)];
        const INTERRUPTED: &[&PointInfo] = &[info(p::GENERATION_INTERRUPT)];
        const CWD_CHANGED: &[&PointInfo] = &[info(p::CWD_CHANGED)];
        const CACHE: &[&PointInfo] = &[info(p::CACHE_INVALIDATED)];
        const FAILED: &[&PointInfo] = &[info(p::ERROR)];
        const ELICIT: &[&PointInfo] = &[info(p::ELICIT)];
        match self {
            Self::SessionStart => SESSION_START,
            Self::SessionEnd => SESSION_END,
            Self::Prompt => PROMPT,
            Self::ToolPre => TOOL_PRE,
            Self::ToolConfirm => TOOL_CONFIRM,
            Self::ToolPost => TOOL_POST,
            Self::FileEdited => FILE_EDITED,
            Self::StepOver => STEP_OVER,
            Self::StepBegin => STEP_BEGIN,
            Self::ModelPre => MODEL_PRE,
            Self::ModelPost => MODEL_POST,
            Self::Answered => ANSWERED,
            Self::Shown => SHOWN,
            Self::Thought => THOUGHT,
            Self::Rest => REST,
            Self::Verify => VERIFY,
            Self::TurnOver => TURN_OVER,
            Self::Interrupted => INTERRUPTED,
            Self::CwdChanged => CWD_CHANGED,
            Self::CacheInvalidated => CACHE,
            Self::Failed => FAILED,
            Self::Elicit => ELICIT,
            Self::Other => &[],
        }
    }

    /// Points fired at other moments that need something noted at this one: what a file held before it was
    /// changed, which files a turn changed, when a call to the model began, when a new turn starts the counts.
    #[must_use]
    pub fn prepares(self) -> &'static [&'static PointInfo] {
        const TOOL_PRE: &[&PointInfo] = &[info(p::FILE_POST_SAVE), info(p::FILE_POST_PATCH)];
        const TOOL_POST: &[&PointInfo] = &[info(p::TURN_POST)];
        const MODEL_PRE: &[&PointInfo] = &[info(p::GENERATION_POST)];
        const PROMPT: &[&PointInfo] = &[info(p::TURN_POST), info(p::LOOP_CONTINUE)];
        match self {
            Self::ToolPre => TOOL_PRE,
            Self::ToolPost | Self::FileEdited => TOOL_POST,
            Self::ModelPre | Self::ModelPost => MODEL_PRE,
            Self::Prompt => PROMPT,
            _ => &[],
        }
    }

    /// Whether what happens waits for a permission: where hooks cannot be run, it is refused.
    #[must_use]
    pub fn is_gate(self) -> bool {
        matches!(self, Self::Prompt | Self::ToolPre | Self::ToolConfirm)
    }

    /// What an event of a client is. The events that the installer writes are those that have points, but for
    /// those listed in [`Client::doubled`].
    #[must_use]
    pub fn of(client: Client, event: &str) -> Self {
        let table: &[(&str, Self)] = match client {
            Client::Codex => CODEX,
            Client::Claude => CLAUDE,
            Client::Gemini => GEMINI,
            Client::Cursor => CURSOR,
            Client::Copilot => COPILOT,
            Client::Goose => GOOSE,
            Client::Hermes => HERMES,
        };
        table.iter().find(|(name, _)| *name == event).map_or(Self::Other, |(_, kind)| *kind)
    }

    /// The events of a client that stand for something, in the order of its life.
    #[must_use]
    pub fn table(client: Client) -> &'static [(&'static str, Self)] {
        match client {
            Client::Codex => CODEX,
            Client::Claude => CLAUDE,
            Client::Gemini => GEMINI,
            Client::Cursor => CURSOR,
            Client::Copilot => COPILOT,
            Client::Goose => GOOSE,
            Client::Hermes => HERMES,
        }
    }
}

impl Client {
    /// Events that tell again what another event of this client has told: they are answered when they come,
    /// and the installer does not ask for them.
    #[must_use]
    pub fn doubled(self) -> &'static [&'static str] {
        match self {
            Self::Cursor => &[
                "beforeShellExecution",
                "beforeMCPExecution",
                "beforeReadFile",
                "afterShellExecution",
                "afterMCPExecution",
            ],
            Self::Goose => {
                &["BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"]
            }
            Self::Codex | Self::Claude | Self::Gemini | Self::Copilot | Self::Hermes => &[],
        }
    }
}

/// The points that can fire in a client.
#[must_use]
pub fn points_of(client: Client) -> Vec<&'static PointInfo> {
    let mut all: Vec<&'static PointInfo> = Vec::new();
    for (_, kind) in Kind::table(client) {
        for point in kind.points() {
            if !all.iter().any(|held| held.wire == point.wire) {
                all.push(point);
            }
        }
    }
    all
}

const CODEX: &[(&str, Kind)] = &[
    ("SessionStart", Kind::SessionStart),
    ("UserPromptSubmit", Kind::Prompt),
    ("PreModelRequest", Kind::StepBegin),
    ("PreToolUse", Kind::ToolPre),
    ("PermissionRequest", Kind::ToolConfirm),
    ("PostToolUse", Kind::ToolPost),
    ("PostModelRequest", Kind::StepOver),
    ("PostCompact", Kind::CacheInvalidated),
    ("Interrupt", Kind::Interrupted),
    ("Stop", Kind::Rest),
    ("SessionEnd", Kind::SessionEnd),
];

const CLAUDE: &[(&str, Kind)] = &[
    ("SessionStart", Kind::SessionStart),
    ("UserPromptSubmit", Kind::Prompt),
    ("MessageDisplay", Kind::Shown),
    ("PreToolUse", Kind::ToolPre),
    ("PermissionRequest", Kind::ToolConfirm),
    ("PostToolUse", Kind::ToolPost),
    ("PostToolUseFailure", Kind::ToolPost),
    ("PostToolBatch", Kind::StepOver),
    ("CwdChanged", Kind::CwdChanged),
    ("PostCompact", Kind::CacheInvalidated),
    ("PostModelSwitch", Kind::CacheInvalidated),
    ("Elicitation", Kind::Elicit),
    ("StopFailure", Kind::Failed),
    ("Stop", Kind::Rest),
    ("SessionEnd", Kind::SessionEnd),
];

const GEMINI: &[(&str, Kind)] = &[
    ("SessionStart", Kind::SessionStart),
    ("BeforeAgent", Kind::Prompt),
    ("BeforeModel", Kind::ModelPre),
    ("AfterModel", Kind::ModelPost),
    ("BeforeTool", Kind::ToolPre),
    ("AfterTool", Kind::ToolPost),
    ("PreCompress", Kind::CacheInvalidated),
    ("AfterAgent", Kind::Rest),
    ("SessionEnd", Kind::SessionEnd),
];

const CURSOR: &[(&str, Kind)] = &[
    ("sessionStart", Kind::SessionStart),
    ("beforeSubmitPrompt", Kind::Prompt),
    ("preToolUse", Kind::ToolPre),
    ("beforeShellExecution", Kind::ToolPre),
    ("beforeMCPExecution", Kind::ToolPre),
    ("beforeReadFile", Kind::ToolPre),
    ("postToolUse", Kind::ToolPost),
    ("postToolUseFailure", Kind::ToolPost),
    ("afterShellExecution", Kind::ToolPost),
    ("afterMCPExecution", Kind::ToolPost),
    ("afterFileEdit", Kind::FileEdited),
    ("afterAgentResponse", Kind::Answered),
    ("afterAgentThought", Kind::Thought),
    ("preCompact", Kind::CacheInvalidated),
    ("stop", Kind::Rest),
    ("sessionEnd", Kind::SessionEnd),
];

const COPILOT: &[(&str, Kind)] = &[
    ("sessionStart", Kind::SessionStart),
    ("userPromptSubmitted", Kind::Prompt),
    ("preToolUse", Kind::ToolPre),
    ("permissionRequest", Kind::ToolConfirm),
    ("postToolUse", Kind::ToolPost),
    ("postToolUseFailure", Kind::ToolPost),
    ("preCompact", Kind::CacheInvalidated),
    ("errorOccurred", Kind::Failed),
    ("agentStop", Kind::Rest),
    ("sessionEnd", Kind::SessionEnd),
];

const GOOSE: &[(&str, Kind)] = &[
    ("SessionStart", Kind::SessionStart),
    ("UserPromptSubmit", Kind::Prompt),
    ("PreToolUse", Kind::ToolPre),
    ("BeforeReadFile", Kind::ToolPre),
    ("BeforeShellExecution", Kind::ToolPre),
    ("PostToolUse", Kind::ToolPost),
    ("PostToolUseFailure", Kind::ToolPost),
    ("AfterShellExecution", Kind::ToolPost),
    ("AfterFileEdit", Kind::ToolPost),
    ("Stop", Kind::Rest),
    ("SessionEnd", Kind::SessionEnd),
];

const HERMES: &[(&str, Kind)] = &[
    ("on_session_start", Kind::SessionStart),
    ("pre_llm_call", Kind::Prompt),
    ("pre_tool_call", Kind::ToolPre),
    ("post_tool_call", Kind::ToolPost),
    ("post_llm_call", Kind::Answered),
    ("pre_verify", Kind::Verify),
    ("on_session_end", Kind::TurnOver),
    ("on_session_finalize", Kind::SessionEnd),
];

impl super::Moment {
    /// What kind it is; a gate that cannot be judged counts as [`Kind::ToolPre`].
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::SessionStart(_) => Kind::SessionStart,
            Self::SessionEnd(_) => Kind::SessionEnd,
            Self::Prompt(_) => Kind::Prompt,
            Self::ToolPre(_) | Self::Unreadable(_) => Kind::ToolPre,
            Self::ToolConfirm(_) => Kind::ToolConfirm,
            Self::ToolPost(_) => Kind::ToolPost,
            Self::FileEdited { .. } => Kind::FileEdited,
            Self::StepOver(_) => Kind::StepOver,
            Self::StepBegin => Kind::StepBegin,
            Self::ModelPre(_) => Kind::ModelPre,
            Self::ModelPost { .. } => Kind::ModelPost,
            Self::Answered(_) => Kind::Answered,
            Self::Shown { .. } => Kind::Shown,
            Self::Thought(_) => Kind::Thought,
            Self::Rest { over: false, .. } => Kind::Verify,
            Self::Rest { asked: false, .. } => Kind::TurnOver,
            Self::Rest { .. } => Kind::Rest,
            Self::Interrupted => Kind::Interrupted,
            Self::CwdChanged { .. } => Kind::CwdChanged,
            Self::CacheInvalidated { .. } => Kind::CacheInvalidated,
            Self::Failed { .. } => Kind::Failed,
            Self::Elicit(_) => Kind::Elicit,
            Self::Other => Kind::Other,
        }
    }
}
