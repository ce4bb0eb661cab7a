(* The verified checker as a program: it reads JSON, has `check` decide, and prints the claim that was understood.

   verified_checker [--seconds N] [--megabytes N] FILE...    ("-" is standard input)
   verified_checker --kinds       what it knows, a line each
   verified_checker --read FILE   the JSON value that is read, in words; for tests
   exit 0: all hold; 1: some do not; 2: some cannot be read; 3: some are not decided

   For each file one line, FILE: accepted, the kind; and under it the claim. Nothing here makes a document accepted:
   the JSON value that is read is judged by `check` alone. A document takes so many seconds of processor time, the
   program so much memory, and no more. *)

open Checker

exception Not_json of string
exception Too_much of string

let most_bytes = 1 lsl 25
let most_depth = 500

let explode text = List.init (String.length text) (String.get text)
let implode chars = let buffer = Buffer.create 256 in List.iter (Buffer.add_char buffer) chars; Buffer.contents buffer

(* ---- JSON. Texts are ASCII, for no certificate has another; true, false and numbers with a fraction or an exponent
   are Other. ---- *)

let parse text =
  let length = String.length text in
  let at = ref 0 in
  let fail what = raise (Not_json (Printf.sprintf "%s at byte %d" what (!at + 1))) in
  let peek () = if !at < length then text.[!at] else '\000' in
  let rec blank () = match peek () with
    | ' ' | '\t' | '\n' | '\r' -> incr at; blank ()
    | _ -> () in
  let expect word =
    let n = String.length word in
    if !at + n <= length && String.sub text !at n = word then at := !at + n else fail (word ^ " is expected") in
  let hexadecimal () =
    let digit () =
      let c = peek () in
      incr at;
      match c with
      | '0' .. '9' -> Char.code c - 48
      | 'a' .. 'f' -> Char.code c - 87
      | 'A' .. 'F' -> Char.code c - 55
      | _ -> fail "four hexadecimal digits are expected" in
    let a = digit () in let b = digit () in let c = digit () in let d = digit () in
    ((a * 16 + b) * 16 + c) * 16 + d in
  let ascii code = if code < 0x80 then Char.chr code else fail "a text in ASCII is expected" in
  let quoted () =
    expect "\"";
    let rec go characters =
      if !at >= length then fail "the end of a text is expected";
      let c = text.[!at] in
      incr at;
      match c with
      | '"' -> List.rev characters
      | '\\' ->
          let escaped = peek () in
          incr at;
          go ((match escaped with
            | '"' | '\\' | '/' -> escaped
            | 'b' -> '\b'
            | 'f' -> '\012'
            | 'n' -> '\n'
            | 'r' -> '\r'
            | 't' -> '\t'
            | 'u' -> ascii (hexadecimal ())
            | _ -> fail "no such escape") :: characters)
      | c when c < ' ' -> fail "a control character"
      | c -> go (ascii (Char.code c) :: characters) in
    go [] in
  let digits () =
    let start = !at in
    while (match peek () with '0' .. '9' -> true | _ -> false) do incr at done;
    if !at = start then fail "a digit is expected" in
  let number () =
    let start = !at in
    if peek () = '-' then incr at;
    if peek () = '0' then incr at else digits ();
    let last = !at in
    if peek () = '.' then (incr at; digits ());
    if peek () = 'e' || peek () = 'E' then begin
      incr at;
      if peek () = '+' || peek () = '-' then incr at;
      digits ()
    end;
    if !at > last then Other
    else if last - start > 4000 then raise (Too_much "an integer of more than 4000 digits")
    else Integer (Big_int_Z.big_int_of_string (String.sub text start (last - start))) in
  let rec value depth =
    if depth > most_depth then raise (Too_much "it is nested too deeply");
    blank ();
    let found = match peek () with
      | '"' -> Text (quoted ())
      | '[' ->
          incr at; blank ();
          if peek () = ']' then (incr at; Items [])
          else
            let rec more items =
              let item = value (depth + 1) in
              match peek () with
              | ',' -> incr at; more (item :: items)
              | _ -> expect "]"; Items (List.rev (item :: items)) in
            more []
      | '{' ->
          incr at; blank ();
          if peek () = '}' then (incr at; Fields [])
          else
            let rec more fields =
              blank ();
              let key = quoted () in
              blank (); expect ":";
              let item = value (depth + 1) in
              match peek () with
              | ',' -> incr at; more ((key, item) :: fields)
              | _ -> expect "}"; Fields (List.rev ((key, item) :: fields)) in
            more []
      | 'n' -> expect "null"; Null
      | 't' -> expect "true"; Other
      | 'f' -> expect "false"; Other
      | 'N' -> expect "NaN"; Other
      | 'I' -> expect "Infinity"; Other
      | '-' when !at + 1 < length && text.[!at + 1] = 'I' -> expect "-Infinity"; Other
      | _ -> number () in
    blank ();
    found in
  let document = value 0 in
  if !at < length then fail "the end is expected";
  document

(* ---- Files, limits and verdicts ---- *)

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
