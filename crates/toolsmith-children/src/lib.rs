//! Child processes of Toolsmith: started without a shell, bounded, ended as a tree.
