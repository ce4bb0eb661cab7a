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

(* As long as an exact level may be (docs/wire.md); a root, which is not compared with another of that length, is shorter. *)
let most_digits = function Log_surd _ -> 300 | _ -> 1000

let enclosed_level digits exact ratios =
  match decimals digits ratios with
  | None -> raise Wide
  | Some (lower, upper) ->
      let text = match exact with
        | None -> "null"
        | Some _ when upper = "0" -> quoted "0"
        | Some level ->
            let text = implode (print_level level []) in
            if String.length text > most_digits level then "null" else quoted text in
      Printf.sprintf "{\"exact\": %s, \"lower\": %S, \"upper\": %S}" text lower upper
let level digits ((low, high) as ratios) = enclosed_level digits (if low = high then Some (Log low) else None) ratios
let infinite = {|{"exact": "inf", "lower": "inf", "upper": "inf"}|}

let rational x = quoted (implode (print_rational x []))
let written_level l = quoted (implode (print_level l []))

(* ---- Requests ---- *)

let part input key = match field key input with
  | Some Null -> raise (Skipped (key ^ " is null"))
  | Some value -> as_texts value
  | None -> raise (Skipped (key ^ " is missing"))
let optional input key = if field key input = None then Null else part input key
let levels = function Items items -> Items (List.map summed items) | other -> other

(* More bits, where so many are too few for the digits that are asked for. *)
let enclosed ?(least = 256) digits compute print =
  let rec attempt tries bits =
    match compute (Z'.of_int bits) with
    | Rejected (path, why) | Undecided (path, why) -> raise (Skipped (implode path ^ ": " ^ implode why))
    | Done found -> (try print found with Wide -> if tries = 0 then raise (Skipped "the decimals are not proved") else attempt (tries - 1) (4 * bits)) in
  attempt 3 (least + 4 * digits)

exception Answer_is of string * string (* an error by name, and its message *)

let loss input digits =
  enclosed digits (fun bits -> answer_loss bits (part input "matrix") (summed (part input "alpha"))) (level digits)

let reverse input _ =
  match answer_reverse (part input "forward") (part input "initial") with
  | Rejected (path, why) | Undecided (path, why) -> raise (Skipped (implode path ^ ": " ^ implode why))
  | Done (Unreachable b) -> raise (Answer_is ("UnreachableState", Printf.sprintf "state %d cannot occur" (b + 1)))
  | Done (Backward rows) -> Printf.sprintf "{\"backward\": %s}" (listed (listed rational) rows)

let loss_function input _ =
  match answer_function (part input "matrix") with
  | Rejected (path, why) | Undecided (path, why) -> raise (Skipped (implode path ^ ": " ^ implode why))
  | Done pieces ->
      let piece ((q, d), (from, until)) =
        Printf.sprintf {|{"q": %s, "d": %s, "from": %s, "to": %s}|} (rational q) (rational d) (written_level from) (written_level until) in
      Printf.sprintf "{\"pieces\": %s}" (listed piece pieces)

(* A great k with k | p, k | c and k^2 | n, for `reduced`: what is square in gcd(p^2, c^2, n), but for small primes as it is. *)
let divisor p n c =
  let whole = Z'.gcd p c in
  let rec by_primes k left prime =
    let times = Z'.of_int prime in
    if prime > 100 then if Z'.perfect_square left then Z'.mul k (Z'.sqrt left) else k
    else if Z'.divisible left (Z'.mul times times)
    then by_primes (Z'.mul k times) (Z'.div left (Z'.mul times times)) prime
    else by_primes k (if Z'.divisible left times then Z'.div left times else left) (prime + 1) in
  by_primes Z'.one (Z'.gcd (Z'.mul whole whole) n) 2
let simplest = function
  | Log_surd (p, _, n, c) as l -> reduced (divisor p n c) (Z'.sqrt n) l
  | l -> l

let supremum input digits =
  enclosed digits (fun bits -> answer_supremum bits (part input "matrix") (summed (part input "epsilon"))) (function
    | Unbounded -> infinite
    | Supremum (exact, ratios) -> enclosed_level digits (Option.map simplest exact) ratios)

let over_time ?least answer input digits =
  let at_each_time found =
    let each part = listed (fun one -> level digits (part one)) found in
    Printf.sprintf "{\"bpl\": %s, \"fpl\": %s, \"tpl\": %s}"
      (each (fun ((bpl, _), _) -> bpl)) (each (fun ((_, fpl), _) -> fpl)) (each snd) in
  enclosed ?least digits
    (fun bits -> answer bits (optional input "backward") (optional input "forward") (levels (part input "epsilons")))
    at_each_time

(* ---- Guesses: pairs of values that may be the greatest in worst_case_leakage, in doubles ---- *)

let float_ratio (p, q) =
  let k = max 0 (min (Z'.numbits p) (Z'.numbits q) - 60) in
  Z'.to_float (Z'.shift_right p k) /. Z'.to_float (Z'.shift_right q k)

(* The zero of the sweep, of one side, the nearest release first: Dinkelbach's rounds. *)
let float_zero side j k = match side with
  | [] -> 1.
  | (first, _) :: _ ->
      let n = Array.length first in
      let total w = Array.fold_left (+.) 0. w in
      let back m w = Array.init n (fun b -> let sum = ref 0. in Array.iteri (fun a x -> sum := !sum +. m.(a).(b) *. x) w; !sum) in
      let rec told lambda u v = function
        | [] -> total u, total v
        | (_, e) :: rest ->
            let weight = Array.init n (fun a -> if u.(a) > lambda *. v.(a) then e else 1.) in
            let u = Array.map2 ( *. ) weight u and v = Array.map2 ( *. ) weight v in
            match rest with
            | [] -> total u, total v
            | (m, _) :: _ -> told lambda (back m u) (back m v) rest in
      let rec risen rounds lambda =
        let top, bottom = told lambda first.(j) first.(k) side in
        if rounds = 0 || top /. bottom <= lambda *. (1. +. 1e-9) then lambda else risen (rounds - 1) (top /. bottom) in
      risen 20 1.

let most_guessed = 2e8 (* operations in doubles, about a second *)

let likely_pairs bits backward forward epsilons =
  match read_stream_of bits backward forward epsilons with
  | Rejected _ | Undecided _ -> []
  | Done stream ->
      let row m units = Array.of_list (List.map (fun z -> float_ratio (z, m.common)) units) in
      let matrix m = Array.of_list (List.map (row m) m.units) in
      let budgets = List.map (fun (_, (_, most)) -> float_ratio most) stream.budgets_of in
      let n = max stream.past_size stream.future_size and count = List.length budgets in
      let rec sides past bs fs = function
        | [] -> []
        | e :: later ->
            let future = if fs = [] then [] else List.combine fs later in
            (past, future) :: (match bs, fs with
              | [], [] -> sides past [] [] later
              | [], _ :: fs' -> sides past [] fs' later
              | m :: bs', [] -> sides ((m, e) :: past) bs' [] later
              | m :: bs', _ :: fs' -> sides ((m, e) :: past) bs' fs' later) in
      let known size steps = if size = 0 then [] else List.map matrix steps in
      let all = sides [] (known stream.past_size stream.past_steps) (known stream.future_size stream.future_steps) budgets in
      let cost = float_of_int (n * n * n * n * 10) *. float_of_int (count * count) in
      let chosen = if cost <= most_guessed then all else List.filteri (fun t _ -> (t + 1) mod (1 + int_of_float (cost /. most_guessed)) = 0) all in
      let winners (past, future) =
        let best = Array.make 3 (0., (0, 0)) in
        let offer i x pair = if x > fst best.(i) then best.(i) <- x, pair in
        for j = 0 to n - 1 do for k = 0 to n - 1 do if j <> k then begin
          let b = float_zero past j k and f = float_zero future j k in
          offer 0 b (j, k); offer 1 f (j, k); offer 2 (b *. f) (j, k) end done done;
        Array.to_list (Array.map snd best) in
      List.sort_uniq compare (List.concat_map winners chosen)

let answer_tight bits backward forward epsilons =
  answer_tight bits (likely_pairs bits backward forward epsilons) backward forward epsilons

let operations = [
  "loss", (["matrix"; "alpha"], loss);
  "loss_function", (["matrix"], loss_function);
  "supremum", (["matrix"; "epsilon"], supremum);
  "reverse", (["forward"; "initial"], reverse);
  "leakage", (["backward"; "forward"; "epsilons"], over_time answer_leakage);
  "worst_case_leakage", (["backward"; "forward"; "epsilons"], over_time ~least:32 answer_tight);
]

(* What is declared, and for which sizes: with --worst-case the exact worst case alone, which takes longer. *)
let is_tight name = name = "worst_case_leakage"
let declared, domain =
  let names = List.map fst operations in
  if Array.mem "--worst-case" Sys.argv
  then List.filter is_tight names, {|{"states": 12, "releases": 16, "level": "1000"}|}
  else List.filter (fun name -> not (is_tight name)) names, {|{"states": 50, "releases": 100, "level": "1000"}|}

let error seq name message = Printf.sprintf "{\"seq\": %s, \"error\": {\"name\": %S, \"message\": %S}}" seq name message

(* An object with these keys and no others, each once. *)
let has_keys keys = function
  | Fields fields ->
      let found = List.map (fun (key, _) -> implode key) fields in
      List.for_all (fun key -> List.mem key keys) found && List.length (List.sort_uniq compare found) = List.length found
  | _ -> false

let in_rationals request = match field "numbers" request with
  | None -> true
  | Some (Text numbers) -> implode numbers = "rational"
  | Some _ -> false

let digits_wanted request =
  match field "want" request with
  | None -> Some 17
  | Some want ->
      match field "digits" want with
      | None when has_keys [] want -> Some 17
      | Some (Integer z) when has_keys ["digits"] want && Z'.gt z Z'.zero && Z'.leq z (Z'.of_int 100_000) -> Some (Z'.to_int z)
      | _ -> None

(* `conform` allows an answer 10 seconds of processor time. *)
let most_seconds = 6.
let within_time answer =
  let limit seconds = ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.; it_value = seconds }) in
  let late _ = raise (Skipped (Printf.sprintf "it takes more than %g seconds" most_seconds)) in
  Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle late);
  limit most_seconds;
  Fun.protect ~finally:(fun () -> limit 0.) answer

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
        (listed quoted declared) domain
  | _, None -> error seq "UnknownOperation" "it answers the operations of its answer to start alone"
  | _, Some (keys, answer) ->
      let input = Option.value (field "input" request) ~default:Null in
      match digits_wanted request with
      | Some digits when has_keys ["seq"; "op"; "input"; "want"; "numbers"] request && in_rationals request && has_keys keys input ->
          (match within_time (fun () -> answer input digits) with
           | value -> Printf.sprintf "{\"seq\": %s, \"value\": %s}" seq value
           | exception Skipped why -> Printf.sprintf "{\"seq\": %s, \"skipped\": %S}" seq why
           | exception Answer_is (name, message) -> error seq name message)
      | _ -> error seq "InvalidRequest" "other keys, other numbers or another number of digits are expected"

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
