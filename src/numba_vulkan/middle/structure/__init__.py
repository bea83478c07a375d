"""The parts of the structurizer: the flow graph, variables for what crosses joins and loops, the plan, the blocks."""
