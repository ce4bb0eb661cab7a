"""The mistakes that are made with this paper: each once, in words and as the wrong answer that it gives."""
