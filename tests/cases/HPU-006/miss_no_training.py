def gradients(loss, env):
    loss.backward()
    env.step()


def replay(tape, scheduler):
    tape.backward()  # loss.backward(); optimizer.step()
    scheduler.step()
# output
target: gaudi
