use super::*;

fn commands(text: &str) -> Vec<String> {
    let script = parse(text);
    assert!(!script.is_broken, "{text}");
    script.commands.iter().map(|words| words.join("·")).collect()
}

fn targets(text: &str) -> Vec<String> {
    parse(text).targets
}

#[test]
fn commands_are_found_wherever_they_stand() {
    for (text, wanted) in [
        ("ls -la", vec!["ls·-la"]),
        ("a; b && c || d | e & f", vec!["a", "b", "c", "d", "e", "f"]),
        ("echo 'rm x' \"mv $(date) y\" # rm z", vec!["date", "echo·rm x·mv $ y"]),
        ("(cd a; make)\nx=`id -u`", vec!["cd·a", "make", "id·-u", "x=$"]),
        ("echo ${a:-$(touch f)} $((1 > 2))", vec!["touch·f", "echo·$·$"]),
        ("diff <(ls a) >(tee b)", vec!["ls·a", "tee·b", "diff·$·$"]),
        ("cat <<EOF | wc\nrm a\n$(touch b)\nEOF\nls", vec!["cat", "wc", "touch·b", "ls"]),
        ("cat <<-'EOF'\n$(rm a)\n\tEOF\nls", vec!["cat", "ls"]),
        ("echo a\\ b \\\n c", vec!["echo·a b·c"]),
        ("echo $'it\\'s'", vec!["echo·it's"]),
        ("(( a > b )) && ls", vec!["ls"]),
        ("", vec![]),
    ] {
        assert_eq!(commands(text), wanted, "{text}");
    }
}

#[test]
fn redirections_are_told_from_other_signs() {
    for (text, wanted) in [
        ("echo hi > out", vec!["out"]),
        ("ls>>log 2>err", vec!["log", "err"]),
        ("ls &> all; ls >| f; ls <> g", vec!["all", "f", "g"]),
        ("ls 2>&1 >&2 2>&-", vec![]),
        ("ls >& both", vec!["both"]),
        ("echo '<a>' \"b > c\" \\> d", vec![]),
        ("[[ a > b ]] && [[ c < d ]]", vec![]),
        ("echo $((3 > 2)) <<< '> x'", vec![]),
        ("cat < in", vec![]),
        ("cat <<EOF > out\na > b\nEOF", vec!["out"]),
        ("echo $(ls > inner)", vec!["inner"]),
        ("echo 2 > two", vec!["two"]),
    ] {
        assert_eq!(targets(text), wanted, "{text}");
    }
}

#[test]
fn what_is_never_closed_is_broken_and_nothing_goes_on_for_ever() {
    for text in ["echo 'a", "echo \"a", "echo $(ls", "echo `ls", "echo ${a", "((1", "cat <<EOF\nx"] {
        assert!(parse(text).is_broken, "{text}");
    }
    for open in ["$(", "${", "$((", "((", "$(${", "\"${", "<(", ">(", "$(("] {
        assert!(parse(&open.repeat(100_000)).is_broken, "{open}");
    }
    assert!(parse(&"`".repeat(9999)).is_broken);
}
