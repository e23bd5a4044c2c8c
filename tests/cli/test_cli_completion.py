import os


def test_bash_gets_a_script(shell):
    answer = shell("--show-completion", "bash")
    assert answer.code == 0
    assert "complete -o default -F _graphfsa_completion graphfsa" in answer.out


def test_commands_and_options_are_completed(shell):
    def completed(words):
        asked = {"_GRAPHFSA_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return shell(env={**os.environ, **asked}).out.split()

    assert completed("graphfsa lea") == ["learn"]
    assert "--task" in completed("graphfsa verify --t")
