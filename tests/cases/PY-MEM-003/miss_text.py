"""max_split_size_mb:256,expandable_segments:True"""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--alloc", help="for example max_split_size_mb:256,expandable_segments:True")
# output
torch: 2.13
