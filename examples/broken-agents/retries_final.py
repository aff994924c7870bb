"""Retries what no retry can mend.

Every error is taken for a bad day of the provider. A 400 says that the request is wrong: the same request gets the same answer,
later and more expensively.
"""
from agent import Agent, main


class RetriesFinal(Agent):
    def may_pass(self, status):
        return True


main(RetriesFinal())
