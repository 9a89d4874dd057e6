//! Which of our variables a confined program gets: what programs need to work, by name; never what speaks of a secret.

use std::ffi::OsString;
use std::process::Command;

use crate::Environment;

/// Whole names.
const NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "TERM",
    "PWD",
    "HOSTNAME",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "LINES",
    "CI",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "LESS",
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "AS",
    "NM",
    "RANLIB",
    "STRIP",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "MAKEFLAGS",
    "ARCH",
    "CROSS_COMPILE",
    "PKG_CONFIG",
    "PKG_CONFIG_PATH",
    "PKG_CONFIG_LIBDIR",
    "PKG_CONFIG_SYSROOT_DIR",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "MANPATH",
    "INFOPATH",
    "VIRTUAL_ENV",
    "JAVA_HOME",
    "JDK_HOME",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ANDROID_NDK_HOME",
    "MAVEN_OPTS",
    "MAVEN_HOME",
    "M2_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NO_PROXY",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "LOCALE_ARCHIVE",
    "SOURCE_DATE_EPOCH",
    "DEBIAN_FRONTEND",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_TERMINAL_PROMPT",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "TEXINPUTS",
    "R_HOME",
    "R_LIBS",
    "SHLVL",
    "TOKENIZERS_PARALLELISM",
];

/// Beginnings of names.
const FAMILIES: &[&str] = &[
    "LC_",
    "XDG_",
    "CARGO",
    "RUST",
    "GO",
    "NODE_",
    "NPM_CONFIG_",
    "npm_config_",
    "NVM_",
    "FNM_",
    "VOLTA_",
    "PNPM_",
    "YARN_",
    "BUN_",
    "DENO_",
    "COREPACK_",
    "PYTHON",
    "PYENV_",
    "PIP_",
    "PIPX_",
    "UV_",
    "POETRY_",
    "CONDA_",
    "MAMBA_",
    "PYTEST_",
    "JUPYTER_",
    "MPL",
    "RUBY",
    "GEM_",
    "BUNDLE_",
    "RBENV_",
    "GRADLE_",
    "JAVA_",
    "KOTLIN_",
    "SBT_",
    "DOTNET_",
    "NUGET_",
    "MIX_",
    "HEX_",
    "ERL_",
    "ELIXIR_",
    "GHC",
    "CABAL_",
    "STACK_",
    "OPAM",
    "PERL",
    "PHP_",
    "COMPOSER_",
    "CMAKE_",
    "CTEST_",
    "CCACHE_",
    "SCCACHE_",
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "OMP_",
    "OPENBLAS_",
    "MKL_",
    "CUDA_",
    "TORCH_",
    "HF_HOME",
    "HF_HUB_OFFLINE",
    "TF_CPP_",
    "ZIG_",
    "SWIFT_",
];

/// What leads to somebody who works outside the sandbox.
const DOORS: &[&str] = &["XDG_RUNTIME_DIR"];

/// Whether a variable of ours is let through. `named` are names that the user lets through beside.
pub(super) fn passes(name: &str, value: Option<&str>, named: &[String]) -> bool {
    if named.iter().any(|other| other == name) {
        return true;
    }
    let is_known = NAMES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family));
    is_known
        && !DOORS.contains(&name)
        && (NAMES.contains(&name) || Environment::WithoutSecrets.passes(name))
        && !value.is_some_and(has_password)
}

/// Whether a URL with a password is in a text: proxies and registries are written so.
fn has_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ', ',']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| !user.is_empty() && user != "git")
    })
}

/// Gives a command the variables that pass, and those that were set on it.
pub(super) fn set(command: &mut Command, named: &[String]) {
    let own: Vec<(OsString, Option<OsString>)> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command.env_clear();
    command.envs(
        std::env::vars_os()
            .filter(|(name, value)| name.to_str().is_some_and(|name| passes(name, value.to_str(), named))),
    );
    for (name, value) in own {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_get_what_they_need_and_no_keys() {
        for (name, value, passed) in [
            ("PATH", "/bin", true),
            ("CARGO_HOME", "/c", true),
            ("CARGO_REGISTRY_TOKEN", "x", false),
            ("OPENAI_API_KEY", "x", false),
            ("DATABASE_URL", "postgres://u:p@h/d", false),
            ("https_proxy", "http://proxy:3128", true),
            ("https_proxy", "http://u:p@proxy:3128", false),
            ("NPM_CONFIG_REGISTRY", "https://user:pw@npm.example", false),
            ("PIP_INDEX_URL", "https://pypi.example/simple", true),
            ("SSH_AUTH_SOCK", "/tmp/x", false),
            ("XDG_RUNTIME_DIR", "/run/user/1", false),
            ("XDG_CONFIG_HOME", "/h/.config", true),
            ("TOKENIZERS_PARALLELISM", "false", true),
            ("LD_PRELOAD", "/x.so", false),
            ("", "", false),
        ] {
            assert_eq!(passes(name, Some(value), &[]), passed, "{name}={value}");
        }
        assert!(passes("DATABASE_URL", Some("postgres://u:p@h/d"), &["DATABASE_URL".to_owned()]));
    }

    #[test]
    fn what_was_set_on_the_command_stays() {
        let mut command = Command::new("env");
        command.env("MY_KEY", "1").env_remove("PATH");
        set(&mut command, &[]);
        let all: Vec<_> =
            command.get_envs().map(|(name, value)| (name.to_owned(), value.is_some())).collect();
        assert!(all.contains(&("MY_KEY".into(), true)));
        assert!(!all.iter().any(|(name, is_set)| name == "PATH" && *is_set));
    }
}
