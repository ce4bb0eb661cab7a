(* How many bits an integer has, about its root, and what divides two: no proof depends on them. *)
let bits z = if Z.sign z <= 0 then Z.zero else Z.of_int (Z.numbits z)
let root z = if Z.sign z <= 0 then Z.zero else Z.sqrt z
let divisor = Z.gcd
