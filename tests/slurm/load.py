def compare(files):
    raise NotImplementedError
