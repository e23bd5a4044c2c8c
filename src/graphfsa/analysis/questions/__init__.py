"""Questions about every configuration, whoever moves when: always, eventually, eventually always."""

from graphfsa.analysis.questions._answers import Answer, Run, Sample, SizeAnswer
from graphfsa.analysis.questions._ask import ask

__all__ = ["Answer", "Run", "Sample", "SizeAnswer", "ask"]
