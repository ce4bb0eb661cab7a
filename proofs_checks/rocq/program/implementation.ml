(* What Rocq proved as a program on the wire (docs/wire.md): `tploracle conform -- proven_implementation`.

   The values of an answer are those of `answer_loss` and its like, and the decimals of a level are guessed here and pass
   `decimals_hold`, or are not given: docs/proofs.md has the theorems about these. Input that they do not read is skipped. *)

module Z' = Z (* that of Zarith, before the one that Rocq wrote *)
open Checker
open Reader

let text string = Text (explode string)
let field key = function Fields fields -> List.assoc_opt (explode key) fields | _ -> None

(* Integers are numbers on the wire, and texts for `answer_loss`. *)
let rec as_texts = function
  | Integer z -> text (Z'.to_string z)
  | Items items -> Items (List.map as_texts items)
  | Fields fields -> Fields (List.map (fun (key, value) -> key, as_texts value) fields)
  | other -> other

(* A sum of numbers in a logarithm, as one number: of levels `answer_loss` reads log(p/q), not log(p/q + r). *)
let summed = function
  | Text level as written when List.mem '+' level ->
      let level = implode level in
      (try
        Scanf.sscanf level "log(%[0-9./eE-]+%[0-9./eE-])%!" (fun one other ->
          match number (text one), number (text other) with
          | Done (p, q), Done (p', q') ->
              text (Printf.sprintf "log(%s/%s)" (Z'.to_string (Z'.add (Z'.mul p q') (Z'.mul p' q))) (Z'.to_string (Z'.mul q q')))
          | _ -> written)
      with Scanf.Scan_failure _ | End_of_file | Failure _ -> written)
  | other -> other

(* ---- Guesses: log(p/q) in units of 2^-bits, by the series of atanh ---- *)

let atanh bits p q =
  let square_p, square_q = Z'.mul p p, Z'.mul q q in
  let rec more k term total =
    if Z'.equal term Z'.zero then total
    else more (k + 2) (Z'.div (Z'.mul term square_p) square_q) (Z'.add total (Z'.div term (Z'.of_int k))) in
  more 1 (Z'.div (Z'.shift_left p bits) q) Z'.zero

let log_guess bits p q =
  let k = Z'.numbits p - Z'.numbits q in
  let p', q' = if k > 0 then p, Z'.shift_left q k else Z'.shift_left p (-k), q in
  let one = atanh bits (Z'.sub p' q') (Z'.add p' q') and two = atanh bits Z'.one (Z'.of_int 3) in
  Z'.mul (Z'.of_int 2) (Z'.add one (Z'.mul (Z'.of_int k) two))

(* ---- Decimals of so many digits ---- *)

(* m * 10^-places *)
let decimal m places =
  let digits = Z'.to_string m in
  if places <= 0 then digits ^ String.make (-places) '0'
  else
    let padded = if String.length digits > places then digits else String.make (places + 1 - String.length digits) '0' ^ digits in
    let whole = String.length padded - places in
    String.sub padded 0 whole ^ "." ^ String.sub padded whole places

let scaled guess bits places =
  if places >= 0 then Z'.shift_right (Z'.mul guess (Z'.pow (Z'.of_int 10) places)) bits
  else Z'.div (Z'.shift_right guess bits) (Z'.pow (Z'.of_int 10) (-places))

(* Decimals that `decimals_hold` finds to enclose the logarithms of both ratios. *)
let decimals digits (((p, q), (p', q')) as ratios) =
  if Z'.equal p q && Z'.equal p' q' then Some ("0", "0") else
  let small = max 0 (Z'.numbits q - Z'.numbits (Z'.sub p q)) in
  let bits = 128 + 4 * digits + small in
  let low, high = log_guess bits p q, log_guess bits p' q' in
  let top = Z'.pow (Z'.of_int 10) digits in
  let rec fitting places = if Z'.geq (scaled low bits places) top then fitting (places - 1) else places in
  let places = fitting (digits + small / 3 + 1) in
  let m, m' = scaled low bits places, scaled high bits places in
  let attempt (down, up) =
    let lower, upper = decimal (Z'.max Z'.zero (Z'.sub m down)) places, decimal (Z'.add m' up) places in
    match number (text lower), number (text upper) with
    | Done l, Done u when Z'.leq (Z'.sub m' m) Z'.one && decimals_hold (Z'.of_int bits) ratios l u -> Some (lower, upper)
    | _ -> None in
  List.find_map attempt [Z'.zero, Z'.one; Z'.zero, Z'.of_int 2; Z'.one, Z'.one; Z'.one, Z'.of_int 2]

(* ---- Values ---- *)

exception Skipped of string
exception Wide (* the enclosure has not as many digits as are asked for *)

let quoted = Printf.sprintf "%S"
let listed print items = "[" ^ String.concat ", " (List.map print items) ^ "]"

(* As long as an exact level may be (docs/wire.md). *)
let most_digits = 1000

let level digits ((low, high) as ratios) =
  match decimals digits ratios with
  | None -> raise Wide
  | Some (lower, upper) ->
      let exact =
        if low <> high then "null"
        else if upper = "0" then quoted "0"
        else
          let level = implode (print_level (Log low) []) in
          if String.length level > most_digits then "null" else quoted level in
      Printf.sprintf "{\"exact\": %s, \"lower\": %S, \"upper\": %S}" exact lower upper

let rational x = quoted (implode (print_rational x []))

(* ---- Requests ---- *)

let part input key = match field key input with
  | Some Null -> raise (Skipped (key ^ " is null"))
  | Some value -> as_texts value
  | None -> raise (Skipped (key ^ " is missing"))
let optional input key = if field key input = None then Null else part input key
let levels = function Items items -> Items (List.map summed items) | other -> other

(* More bits, where so many are too few for the digits that are asked for. *)
let enclosed digits compute print =
  let rec attempt tries bits =
    match compute (Z'.of_int bits) with
    | Rejected (path, why) | Undecided (path, why) -> raise (Skipped (implode path ^ ": " ^ implode why))
    | Done found -> (try print found with Wide -> if tries = 0 then raise (Skipped "the decimals are not proved") else attempt (tries - 1) (4 * bits)) in
  attempt 3 (256 + 4 * digits)

exception Answer_is of string * string (* an error by name, and its message *)

let loss input digits =
  enclosed digits (fun bits -> answer_loss bits (part input "matrix") (summed (part input "alpha"))) (level digits)

let reverse input _ =
  match answer_reverse (part input "forward") (part input "initial") with
  | Rejected (path, why) | Undecided (path, why) -> raise (Skipped (implode path ^ ": " ^ implode why))
  | Done (Unreachable b) -> raise (Answer_is ("UnreachableState", Printf.sprintf "state %d cannot occur" (b + 1)))
  | Done (Backward rows) -> Printf.sprintf "{\"backward\": %s}" (listed (listed rational) rows)

let over_time answer input digits =
  let at_each_time found =
    let each part = listed (fun one -> level digits (part one)) found in
    Printf.sprintf "{\"bpl\": %s, \"fpl\": %s, \"tpl\": %s}"
      (each (fun ((bpl, _), _) -> bpl)) (each (fun ((_, fpl), _) -> fpl)) (each snd) in
  enclosed digits
    (fun bits -> answer bits (optional input "backward") (optional input "forward") (levels (part input "epsilons")))
    at_each_time

let operations = [
  "loss", (["matrix"; "alpha"], loss);
  "reverse", (["forward"; "initial"], reverse);
  "leakage", (["backward"; "forward"; "epsilons"], over_time answer_leakage);
]

let error seq name message = Printf.sprintf "{\"seq\": %s, \"error\": {\"name\": %S, \"message\": %S}}" seq name message

(* An object with these keys and no others, each once. *)
let has_keys keys = function
  | Fields fields ->
      let found = List.map (fun (key, _) -> implode key) fields in
      List.for_all (fun key -> List.mem key keys) found && List.length (List.sort_uniq compare found) = List.length found
  | _ -> false

let digits_wanted request =
  match field "want" request with
  | None -> Some 17
  | Some want ->
      match field "digits" want with
      | None when has_keys [] want -> Some 17
      | Some (Integer z) when has_keys ["digits"] want && Z'.gt z Z'.zero && Z'.leq z (Z'.of_int 100_000) -> Some (Z'.to_int z)
      | _ -> None

let respond request =
  let seq = match field "seq" request with
    | Some (Integer z) -> Z'.to_string z
    | Some (Text name) -> quoted (implode name)
    | _ -> "null" in
  let said = match field "op" request with Some (Text op) -> implode op | _ -> "" in
  match said, List.assoc_opt said operations with
  | "stop", _ -> exit 0
  | "start", _ ->
      Printf.sprintf {|{"name": "proved in Rocq", "version": "2", "operations": %s, "numbers": ["rational"], "stepwise": true, "domain": %s}|}
        (listed (fun (name, _) -> quoted name) operations) {|{"states": 50, "releases": 100, "level": "1000"}|}
  | _, None -> error seq "UnknownOperation" "it answers the operations of its answer to start alone"
  | _, Some (keys, answer) ->
      let input = Option.value (field "input" request) ~default:Null in
      match digits_wanted request with
      | Some digits when has_keys ["seq"; "op"; "input"; "want"; "numbers"] request && has_keys keys input ->
          (match answer input digits with
           | value -> Printf.sprintf "{\"seq\": %s, \"value\": %s}" seq value
           | exception Skipped why -> Printf.sprintf "{\"seq\": %s, \"skipped\": %S}" seq why
           | exception Answer_is (name, message) -> error seq name message)
      | _ -> error seq "InvalidRequest" "other keys or another number of digits are expected"

let () =
  try
    while true do
      let line = input_line stdin in
      print_endline (match parse line with
        | request -> respond request
        | exception Not_json why -> error "null" "InvalidRequest" why
        | exception Too_much why -> Printf.sprintf "{\"seq\": null, \"skipped\": %S}" why)
    done
  with End_of_file -> ()
