//! cpex-core: a plugin manager with typed hooks.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use cpex_core::context::PluginContext;
use cpex_core::hooks::payload::Extensions;
use cpex_core::hooks::trait_def::{HookHandler, HookTypeDef, PluginResult};
use cpex_core::manager::PluginManager;
use cpex_core::plugin::{Plugin, PluginConfig};

use crate::measure::{Contestant, keep, ready};
use crate::work::{event, work};

#[derive(Clone, Debug)]
struct Saved {
    path: &'static Path,
    created: bool,
}
cpex_core::impl_plugin_payload!(Saved);

struct FilePostSave;

impl HookTypeDef for FilePostSave {
    type Payload = Saved;
    type Result = PluginResult<Saved>;
    const NAME: &'static str = "file_post_save";
}

struct Look(PluginConfig);

#[async_trait]
impl Plugin for Look {
    fn config(&self) -> &PluginConfig {
        &self.0
    }
}

impl HookHandler<FilePostSave> for Look {
    async fn handle(&self, saved: &Saved, _: &Extensions, _: &mut PluginContext) -> PluginResult<Saved> {
        keep(work(saved.path, saved.created));
        PluginResult::allow()
    }
}

pub(super) fn row(hooks: usize) -> Contestant<'static> {
    let manager = PluginManager::default();
    for number in 0..hooks {
        let name = format!("look_{number:02}");
        let config: PluginConfig = serde_json::from_value(
            serde_json::json!({ "name": name, "kind": "builtin", "hooks": ["file_post_save"] }),
        )
        .unwrap();
        manager.register_handler::<FilePostSave, _>(Arc::new(Look(config.clone())), config).unwrap();
    }
    ready(manager.initialize()).unwrap();
    Contestant::new("cpex-core: typed hooks", hooks, move || {
        let event = event();
        let saved = Saved { path: event.path, created: event.created };
        keep(ready(manager.invoke::<FilePostSave>(saved, Extensions::default(), None)));
    })
}
