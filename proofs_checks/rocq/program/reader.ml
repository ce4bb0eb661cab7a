(* JSON as `Checker` has it, which no proof covers: texts are ASCII, for nothing that is asked has another; true, false and
   numbers with a fraction or an exponent are Other. *)

open Checker

exception Not_json of string
exception Too_much of string

let most_bytes = 1 lsl 25
let most_depth = 500

let explode text = List.init (String.length text) (String.get text)
let implode chars = let buffer = Buffer.create 256 in List.iter (Buffer.add_char buffer) chars; Buffer.contents buffer

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
