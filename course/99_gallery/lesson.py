# %% [markdown]
# # Gallery · All widgets on one page
#
# Each is one line on your own model, tensor or text; what you see below is what a line without arguments, or nearly
# so, shows. Every widget works by keyboard, says under *In words* what it shows, and leaves a picture behind that
# stays when the notebook is closed. Stepping, sliding and looking need no kernel; what has to be computed anew does.

# %%
import numpy as np

import ddl
from ddl import nn, widgets

# %% [markdown]
# **`play`** walks any computation forward and backward, one operation at a time. Set $a$ to something else.

# %%
a, b = ddl.Scalar(2.0, "a"), ddl.Scalar(-0.5, "b")
widgets.play((a * b + a).tanh() * b)

# %% [markdown]
# **`broadcast`** shows what repeats when two shapes meet, and where the gradient is summed for it.

# %%
widgets.broadcast((3, 1), (4,))

# %% [markdown]
# **`strides`** shows where a view lies in memory, and which operation had to copy.

# %%
widgets.strides(np.arange(12.0).reshape(3, 4), "x[:, ::2].T")

# %% [markdown]
# **`boundary`** colours the plane by what a model answers.

# %%
widgets.boundary()

# %% [markdown]
# **`initialisers`** follows a signal and its gradient through a deep network, for each way to draw the weights.

# %%
widgets.initialisers()

# %% [markdown]
# **`race`** lets optimizers run down one surface.

# %%
widgets.race("valley")

# %% [markdown]
# **`watch`** looks into every layer while a model trains, and says in words when something goes wrong.

# %%
ddl.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = ddl.optim.SGD(model.parameters(), lr=0.05)
x = ddl.randn(64, 8)
y = x[:, :1] * x[:, 1:2]
scope = widgets.watch(model, every=10)
for _ in range(40):
    optimizer.backward_step(nn.functional.mse_loss(model(x), y))
scope

# %% [markdown]
# **`dashboard`** shows a training run as it goes on; with a `Trainer` it also pauses, stops and changes the rate.

# %% tags=["nbval-ignore-output"]
board = widgets.dashboard()
for step in range(1, 41):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.backward_step(loss)
    board.log(step=step, loss=loss.item(), lr=0.05)
board

# %% [markdown]
# **`convolve`** slides a kernel over an image, its products written out.

# %%
widgets.convolve()

# %% [markdown]
# **`digits`** is a canvas, on which a network answers while you draw.

# %%
widgets.digits()

# %% [markdown]
# **`tokens`** takes a text apart, merge by merge.

# %%
widgets.tokens("The function returns a new list.")

# %% [markdown]
# **`sample`** shows what may come next, and lets you cool it, cut it and draw.

# %%
widgets.sample(text="The function returns")

# %% [markdown]
# **`attend`** shows where every head of a model looks.

# %%
widgets.attend(text="If the list is empty, it returns None.")

# %% [markdown]
# **`rotary`** turns pairs of coordinates with the position, and shows that scores see distances only.

# %%
widgets.rotary()

# %% [markdown]
# **`lens`** asks every block of a model what it would say next.

# %%
widgets.lens()

# %% [markdown]
# **`roofline`** says of each operation whether it waits for the processor or for the memory. It measures, so its
# numbers are those of the machine on which this page was made.

# %% tags=["nbval-ignore-output"]
widgets.roofline()

# %% [markdown]
# ## Recap
#
# 1. One line each, on your own objects.
# 2. By keyboard, in words, and as a picture that stays.
#
# ## Go deeper
#
# - `help(ddl.widgets.play)`, and the same for every other: what it takes, and what it refuses.
# - N. Henry Riche, C. Hurter, N. Diakopoulos and S. Carpendale, editors (2018), *Data-Driven Storytelling*.
#
# **Back:** [00 · Start here](00_start_here.ipynb).
