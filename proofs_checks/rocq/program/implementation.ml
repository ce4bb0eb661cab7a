(* The loss function proved in Rocq as a program on the wire (docs/wire.md): `tploracle conform -- proven_implementation`.

   The values of an answer are those of `answer_loss`, and its decimals are guessed here and pass `decimals_hold`, or are not
   given: `Computed.answer_sound` and `Computed.decimals_sound` are about these. Input that they do not read is skipped. *)

module Z' = Z (* that of Zarith, before the one that Rocq wrote *)
open Checker
open Reader

let text string = Text (explode string)
let field key = function Fields fields -> List.assoc_opt (explode key) fields | _ -> None

(* Integers are numbers on the wire, and texts for `answer_loss`. *)
let rec as_texts = function
  | Integer z -> text (Z'.to_string z)
  | Items items -> Items (List.map as_texts items)
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
let decimals digits (p, q) (p', q') =
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
    | Done l, Done u when decimals_hold (Z'.of_int bits) (p, q) (p', q') l u -> Some (lower, upper)
    | _ -> None in
  List.find_map attempt [Z'.zero, Z'.one; Z'.zero, Z'.of_int 2; Z'.one, Z'.one; Z'.one, Z'.of_int 2]

(* ---- Requests ---- *)

exception Skipped of string

let answer input digits =
  let part key = match field key input with Some value -> as_texts value | None -> raise (Skipped (key ^ " is missing")) in
  match answer_loss (Z'.of_int (256 + 4 * digits)) (part "matrix") (summed (part "alpha")) with
  | Rejected (path, why) | Undecided (path, why) -> raise (Skipped (implode path ^ ": " ^ implode why))
  | Done (low, high) ->
      match decimals digits low high with
      | None -> raise (Skipped "the decimals are not proved")
      | Some (lower, upper) ->
          let exact = if low <> high then "null" else if upper = "0" then "\"0\"" else Printf.sprintf "%S" (implode (print_level (Log low) [])) in
          Printf.sprintf "{\"exact\": %s, \"lower\": %S, \"upper\": %S}" exact lower upper

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
    | Some (Text name) -> Printf.sprintf "%S" (implode name)
    | _ -> "null" in
  let said = match field "op" request with Some (Text op) -> implode op | _ -> "" in
  match said with
  | "stop" -> exit 0
  | "start" ->
      {|{"name": "proved in Rocq", "version": "1", "operations": ["loss"], "numbers": ["rational"], "domain": {"states": 50, "level": "1000"}}|}
  | "loss" ->
      let input = Option.value (field "input" request) ~default:Null in
      (match digits_wanted request with
       | Some digits when has_keys ["seq"; "op"; "input"; "want"; "numbers"] request && has_keys ["matrix"; "alpha"] input ->
           (match answer input digits with
            | value -> Printf.sprintf "{\"seq\": %s, \"value\": %s}" seq value
            | exception Skipped why -> Printf.sprintf "{\"seq\": %s, \"skipped\": %S}" seq why)
       | _ -> error seq "InvalidRequest" "other keys or another number of digits are expected")
  | _ -> error seq "UnknownOperation" "it answers loss alone"

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
