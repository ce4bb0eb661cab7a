(* How many bits an integer has. *)
let bits z = if Z.sign z <= 0 then Z.zero else Z.of_int (Z.numbits z)
