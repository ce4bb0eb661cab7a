(** What proofs.py asks of the compiled library, of the terms that the kernel accepted: which names a
    statement or a definition refers to, and which theorems a proof applies to what is given. *)

From Ltac2 Require Import Ltac2.
From Coq Require Import Reals.
Import Constr.Unsafe.

Ltac2 word text message := Message.concat message (Message.of_string text).
Ltac2 dotted message r := match List.map Ident.to_string (Env.path r) with
  | [] => message
  | first :: rest =>
      List.fold_left (fun m name => word name (word "." m)) rest (word first (word " " message)) end.
Ltac2 say verb references :=
  Message.print (List.fold_left dotted references (Message.of_string verb)).

(** The parts of a term, each with the number of variables that are bound around it. *)
Ltac2 parts c :=
  let here c := (0, c) in let all a := List.map here (Array.to_list a) in
  let within b := here (Constr.Binder.type b) in
  let recursive b t := List.append (List.map within (Array.to_list b))
    (List.map (fun c => (Array.length b, c)) (Array.to_list t)) in
  match kind c with
  | Evar _ a => all a
  | Cast c _ t => [here c; here t]
  | Prod b c => [within b; (1, c)]
  | Lambda b c => [within b; (1, c)]
  | LetIn b v c => [within b; here v; (1, c)]
  | App f a => here f :: all a
  | Case _ p _ c b => here p :: here c :: all b
  | Fix _ _ b t => recursive b t
  | CoFix _ b t => recursive b t
  | Proj _ c => [here c]
  | Array _ a d t => here d :: here t :: all a
  | _ => [] end.

(** ** The names that a statement or a definition refers to *)

Ltac2 reference_of c := match kind c with
  | Constant c _ => Std.ConstRef c
  | Ind i _ => Std.IndRef i
  | _ => Control.throw Not_found end.
Ltac2 is_in c list := List.exist (Constr.equal c) list.
Ltac2 is_ours r := match Env.path r with
  | [] => false
  | first :: _ => Ident.equal first @TPL end.
(** A constructor counts as the type that it is of. *)
Ltac2 rec names found c :=
  let all c := List.fold_left (fun found (_, c) => names found c) (parts c) found in
  match kind c with
  | Constructor _ _ => names found (Constr.type c)
  | Constant _ _ => match is_in c found with true => found | false => c :: found end
  | Ind _ _ => match is_in c found with true => found | false => c :: found end
  | _ => all c end.

Ltac2 body r := Std.eval_cbv
  { Std.rBeta := false; Std.rMatch := false; Std.rFix := false; Std.rCofix := false;
    Std.rZeta := false; Std.rDelta := false; Std.rConst := [r] } (Env.instantiate r).
Ltac2 up_to n := List.seq 0 1 n.
Ltac2 members c := match kind c with
  | Ind i u => let data := Ind.data i in
      List.flat_map (fun b => let own := Ind.get_block data b in
        make (Ind (Ind.repr own) u) :: List.map
          (fun j => make (Constructor (Ind.get_constructor own j) u)) (up_to (Ind.nconstructors own)))
        (up_to (Ind.nblocks data))
  | _ => [c] end.

(** The types of a name and its constructors, and the body, if what is defined has one. *)
Ltac2 needs is_defined name :=
  let r := Option.get (Env.get name) in let c := Env.instantiate r in
  let types := List.map Constr.type (members c) in
  let terms := match r with
    | Std.ConstRef _ => match is_defined with true => body r :: types | false => types end
    | _ => types end in
  say "needs" (r :: List.map reference_of (List.fold_left names terms [])).

(** ** The theorems that a proof applies

    A variable within a proof is assumed, or bound to a term by the proof. A theorem is applied to
    what is given if there is a term for each of its variables and hypotheses, and no term refers to
    a variable that is assumed. What has a type with members for sure, such as a number, may be
    assumed, or left out at the end. *)

Ltac2 Type rec variable := [Assumed | Known | Bound (constr, variable list)].

Ltac2 rec is_given bound variables c := match kind c with
  | Rel i => match Int.le i bound with
      | true => true
      | false => is_known (List.nth variables (Int.sub (Int.sub i bound) 1)) end
  | _ => List.for_all (fun (n, c) => is_given (Int.add bound n) variables c) (parts c) end
with is_known variable := match variable with
  | Assumed => false
  | Known => true
  | Bound c variables => is_given 0 variables c end.

Ltac2 bind variables c := match is_given 0 variables c with true => Bound c variables | false => Assumed end.
Ltac2 assumed n variables := List.append (List.map (fun _ => Assumed) (up_to n)) variables.

Ltac2 rec arity t := match kind t with
  | Prod _ t => Int.add 1 (arity t)
  | LetIn _ _ t => arity t
  | Cast t _ _ => arity t
  | _ => 0 end.

(** Numbers, truth values, and functions to them. *)
Ltac2 rec has_members t := match kind t with
  | Prod _ t => has_members t
  | Constant _ _ => Constr.equal t 'R
  | Ind _ _ => Bool.or (Constr.equal t 'nat) (Constr.equal t 'bool)
  | _ => false end.
Ltac2 assume b := match has_members (Constr.Binder.type b) with true => Known | false => Assumed end.

(** How many arguments a function of a type needs, of those that it may take. *)
Ltac2 needed t :=
  let rec last found count t := match kind t with
    | Prod b t => let count := Int.add count 1 in
        last (match assume b with Known => found | _ => count end) count t
    | LetIn _ _ t => last found count t
    | Cast t _ _ => last found count t
    | _ => found end in
  last 0 0 t.

(** How many variables each branch of a match binds: the arguments of a constructor without those
    of its type, which are all but as many as [p], a function of the others and of a member, takes. *)
Ltac2 rec last_bound n p := match kind p with
  | Lambda b c => match kind c with
      | Lambda _ _ => last_bound (Int.add n 1) c
      | _ => (n, Constr.Binder.type b) end
  | _ => Control.throw Not_found end.
Ltac2 fields p j :=
  let (indices, t) := last_bound 0 p in
  let (head, arguments) := match kind t with App f a => (f, Array.length a) | _ => (t, 0) end in
  match kind head with
  | Ind i u => Int.sub
      (arity (Constr.type (make (Constructor (Ind.get_constructor (Ind.data i) j) u))))
      (Int.sub arguments indices)
  | _ => Control.throw Not_found end.

Ltac2 Type exn ::= [Applied].

(** Raise Applied if a term, itself or within, applies a theorem to what is given, where it is itself
    applied to given arguments. A term that is bound, and an example, is followed where it is applied. *)
Ltac2 rec look theorem examples variables c arguments :=
  let within := look theorem examples in
  let lazily c () := bind variables c in
  match kind c with
  | App f a =>
      within variables f (List.append (List.map lazily (Array.to_list a)) arguments);
      Array.iter (fun c => within variables c []) a
  | Cast c _ _ => within variables c arguments
  | LetIn _ v c => within variables v []; within (bind variables v :: variables) c arguments
  | Lambda b c => match arguments with
      | [] => within (assume b :: variables) c []
      | first :: rest => let given := first () in
          within (match is_known given with true => given | false => assume b end :: variables) c rest
      end
  | Case _ p _ c branches =>
      within variables c [];
      let one () := match is_given 0 variables c with true => Known | false => Assumed end in
      Array.iteri (fun j branch => within variables branch
        (List.append (List.map (fun _ => one) (up_to (fields p j))) arguments)) branches
  | Rel i => match List.nth variables (Int.sub i 1) with
      | Bound c variables => match arguments with [] => () | _ => within variables c arguments end
      | _ => () end
  | Constant name _ =>
      let is_theorem := Constr.equal c theorem in
      match Bool.or is_theorem (Bool.and (is_ours (Std.ConstRef name)) (is_in c examples)) with
      | false => ()
      | true => let n := needed (Constr.type c) in
          match Bool.and (Int.le n (List.length arguments)) (Bool.or is_theorem (Int.lt 0 n)) with
          | false => ()
          | true => match List.for_all (fun one => is_known (one ())) arguments with
              | false => ()
              | true => match is_theorem with
                  | true => Control.zero Applied
                  | false => within [] (body (Std.ConstRef name)) arguments end end end end
  | _ => List.iter (fun (n, c) => within (assumed n variables) c []) (parts c) end.

(** Print which of some examples, if any, applies a theorem. *)
Ltac2 instance theorem examples :=
  let term name := Env.instantiate (Option.get (Env.get name)) in
  let is_one name := Control.once (fun () => Control.plus
    (fun () => look (term theorem) (List.map term examples) []
      (body (Option.get (Env.get name))) []; false)
    (fun e => match e with Applied => true | _ => Control.throw e end)) in
  match List.find_opt is_one examples with
  | None => ()
  | Some name => say "applied" [Option.get (Env.get theorem); Option.get (Env.get name)] end.
