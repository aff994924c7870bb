"""Has no bound on its turns.

As long as the model asks for tools it goes on. A model that runs in circles keeps such an agent busy, and its owner paying, until
somebody looks.
"""
from agent import Agent, main


class LoopsForever(Agent):
    most_turns = None


main(LoopsForever())
