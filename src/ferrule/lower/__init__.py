"""Program to program: folding, layout, fusion."""
