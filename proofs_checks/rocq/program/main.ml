(* The verified checker as a program: it reads JSON, has `check` decide, and prints the claim that was understood.

   verified_checker FILE...    ("-" is standard input)
   verified_checker --kinds    what it knows, a line each
   exit 0: all hold; 1: some do not; 2: some cannot be read; 3: some are not decided

   For each file one line, FILE: accepted, the kind; and under it the claim. Nothing here makes a document accepted:
   the JSON value that is read is judged by `check` alone. *)

open Checker

exception Not_json of string
exception Too_much of string

let most_bytes = 1 lsl 25
let most_depth = 500

let explode text = List.init (String.length text) (String.get text)
let implode chars = let buffer = Buffer.create 256 in List.iter (Buffer.add_char buffer) chars; Buffer.contents buffer

(* ---- JSON: strings are bytes of UTF-8; true, false and numbers with a fraction or an exponent are Other. ---- *)

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
  let add_code buffer code =
    let add n = Buffer.add_char buffer (Char.chr n) in
    if code < 0x80 then add code
    else if code < 0x800 then (add (0xc0 lor (code lsr 6)); add (0x80 lor (code land 0x3f)))
    else if code < 0x10000 then
      (add (0xe0 lor (code lsr 12)); add (0x80 lor ((code lsr 6) land 0x3f)); add (0x80 lor (code land 0x3f)))
    else
      (add (0xf0 lor (code lsr 18)); add (0x80 lor ((code lsr 12) land 0x3f));
       add (0x80 lor ((code lsr 6) land 0x3f)); add (0x80 lor (code land 0x3f))) in
  let hexadecimal () =
    if !at + 4 > length then fail "four hexadecimal digits are expected";
    let value = ref 0 in
    for k = !at to !at + 3 do
      let digit = match text.[k] with
        | '0' .. '9' as c -> Char.code c - 48
        | 'a' .. 'f' as c -> Char.code c - 87
        | 'A' .. 'F' as c -> Char.code c - 55
        | _ -> fail "four hexadecimal digits are expected" in
      value := 16 * !value + digit
    done;
    at := !at + 4; !value in
  let quoted () =
    expect "\"";
    let buffer = Buffer.create 16 in
    let rec go () =
      if !at >= length then fail "the end of a text is expected";
      let c = text.[!at] in
      incr at;
      match c with
      | '"' -> Buffer.contents buffer
      | '\\' ->
          let escaped = peek () in
          incr at;
          (match escaped with
           | '"' | '\\' | '/' -> Buffer.add_char buffer escaped
           | 'b' -> Buffer.add_char buffer '\b'
           | 'f' -> Buffer.add_char buffer '\012'
           | 'n' -> Buffer.add_char buffer '\n'
           | 'r' -> Buffer.add_char buffer '\r'
           | 't' -> Buffer.add_char buffer '\t'
           | 'u' ->
               let first = hexadecimal () in
               let low_follows =
                 first land 0xfc00 = 0xd800 && !at + 6 <= length && text.[!at] = '\\' && text.[!at + 1] = 'u' in
               let here = !at in
               let second = if low_follows then (at := !at + 2; hexadecimal ()) else 0 in
               if second land 0xfc00 = 0xdc00 then
                 add_code buffer (0x10000 + ((first land 0x3ff) lsl 10) + (second land 0x3ff))
               else (at := here; add_code buffer first)
           | _ -> fail "no such escape");
          go ()
      | c when c < ' ' -> fail "a control character"
      | c -> Buffer.add_char buffer c; go () in
    go () in
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
      | '"' -> Text (explode (quoted ()))
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
              let key = explode (quoted ()) in
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

(* ---- Files and verdicts ---- *)

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

let verdict name =
  try
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
  | Out_of_memory | Stack_overflow -> (3, "not decided, document: not enough memory")

let () =
  let files = List.tl (Array.to_list Sys.argv) in
  if files = ["--kinds"] then (List.iter (fun kind -> print_endline (implode kind)) known_kinds; exit 0);
  if files = [] then (prerr_endline "usage: verified_checker FILE..."; exit 2);
  let statuses = List.map (fun name ->
    let status, line = verdict name in
    Printf.printf "%s: %s\n%!" name line;
    status) files in
  exit (List.find (fun status -> List.mem status (0 :: statuses)) [2; 1; 3; 0])
