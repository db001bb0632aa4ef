"""The papers whose contact models are implemented here, claim by claim.

A folder holds one paper: `claims.toml` (what the paper says, and in which band our measurement must
lie), `README.md` (published, chosen by us, different and why) and one module per experiment:

    data()            simulate; motions, arrays and numbers by name
    measures(data)    numbers by name, at least those that claims.toml names
    draw(data)        a matplotlib figure, with the axes of the paper
    motions(data)     optional: motions to play in the browser, by name
    tables(data)      optional: lists of rows (dicts) that the page shows below the figure, by title

`stiction reproduce` runs them. The keys of the papers are the names of the folders: `balanced`,
`gauss_seidel`, `distributed`, `feedback`, `multipoint`.
"""
