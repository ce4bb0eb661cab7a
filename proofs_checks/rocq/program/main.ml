(* The verified checker as a program: it reads JSON, has `check` decide, and prints the claim that was understood.

   verified_checker [--seconds N] [--megabytes N] FILE...    ("-" is standard input)
   verified_checker --kinds       what it knows, a line each
   verified_checker --read FILE   the JSON value that is read, in words; for tests
   exit 0: all hold; 1: some do not; 2: some cannot be read; 3: some are not decided

   For each file one line, FILE: accepted, the kind; and under it the claim. Nothing here makes a document accepted:
   the JSON value that is read is judged by `check` alone. A document takes so many seconds of processor time, the
   program so much memory, and no more. *)

open Checker
open Reader

external limit_memory : int -> unit = "limit_memory"

(* A second alarm, which is not handled, ends a program that is in the midst of one operation on great numbers. *)
let limit_time seconds =
  let set timer seconds = ignore (Unix.setitimer timer { Unix.it_interval = 0.; it_value = seconds }) in
  set Unix.ITIMER_VIRTUAL seconds;
  set Unix.ITIMER_PROF (if seconds > 0. then 2. *. seconds +. 5. else 0.)

let read name =
  let channel = if name = "-" then stdin else open_in_bin name in
  set_binary_mode_in channel true;
  let buffer = Buffer.create 65536 in
  let chunk = Bytes.create 65536 in
  let rec more () =
    let count = input channel chunk 0 (Bytes.length chunk) in
    Buffer.add_subbytes buffer chunk 0 count;
    if count > 0 && Buffer.length buffer <= most_bytes then more () in
  more ();
  if name <> "-" then close_in channel;
  if Buffer.length buffer > most_bytes then raise (Too_much "more than 33554432 bytes");
  let text = Buffer.contents buffer in
  if String.length text >= 3 && String.sub text 0 3 = "\xef\xbb\xbf" then String.sub text 3 (String.length text - 3) else text

let place path = match implode path with "" -> "document" | text -> text

let kind = function
  | Fields fields -> (match List.assoc_opt (explode "certificate") fields with Some (Text name) -> implode name | _ -> "")
  | _ -> ""

let verdict seconds name =
  try
    limit_time seconds;
    let document = parse (read name) in
    let kind = kind document in
    match check document with
    | Done claim -> (0, Printf.sprintf "accepted, %s\n  %s" kind (implode (describe claim)))
    | Rejected (path, why) -> (1, Printf.sprintf "rejected, %s: %s" (place path) (implode why))
    | Undecided (path, why) -> (3, Printf.sprintf "not decided, %s: %s" (place path) (implode why))
  with
  | Not_json why -> (1, Printf.sprintf "rejected, document: it is not JSON: %s" why)
  | Too_much why -> (3, Printf.sprintf "not decided, document: %s" why)
  | Sys_error why -> (2, Printf.sprintf "cannot read: %s" why)
  | Out_of_memory | Stack_overflow -> Gc.compact (); (3, "not decided, document: not enough memory")

let rec shown = function
  | Text text -> Printf.sprintf "text %S" (implode text)
  | Integer z -> "integer " ^ Big_int_Z.string_of_big_int z
  | Items items -> "[" ^ String.concat ", " (List.map shown items) ^ "]"
  | Fields fields ->
      "{" ^ String.concat ", " (List.map (fun (key, item) -> shown (Text key) ^ ": " ^ shown item) fields) ^ "}"
  | Null -> "null"
  | Other -> "other"

let rec main seconds megabytes = function
  | "--seconds" :: n :: rest -> main (float_of_string n) megabytes rest
  | "--megabytes" :: n :: rest -> main seconds (int_of_string n) rest
  | ["--kinds"] -> List.iter (fun kind -> print_endline (implode kind)) known_kinds; 0
  | ["--read"; name] ->
      (match parse (read name) with
       | document -> print_endline (shown document); 0
       | exception Not_json why -> print_endline ("not JSON: " ^ why); 1
       | exception Too_much why -> print_endline ("too much: " ^ why); 3)
  | [] -> prerr_endline "usage: verified_checker [--seconds N] [--megabytes N] FILE..."; 2
  | files ->
      limit_memory megabytes;
      let statuses = List.map (fun name ->
        let status, line = verdict seconds name in
        limit_time 0.;
        Printf.printf "%s: %s\n%!" name line;
        status) files in
      List.find (fun status -> List.mem status (0 :: statuses)) [2; 1; 3; 0]

let () =
  Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle (fun _ -> raise (Too_much "more than its processor time (--seconds)")));
  exit (try main 60. 2048 (List.tl (Array.to_list Sys.argv)) with Too_much _ -> 3)
