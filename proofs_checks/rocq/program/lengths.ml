(* How many bits an integer has, and about its root: no proof depends on either. *)
let bits z = if Z.sign z <= 0 then Z.zero else Z.of_int (Z.numbits z)
let root z = if Z.sign z <= 0 then Z.zero else Z.sqrt z
