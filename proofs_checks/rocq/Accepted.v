(** The verified checker on given documents: what it reads, what it accepts, and so what holds of
    them. *)

From TPL Require Import Denoted Reread.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.
Local Notation "n // d" := (n%Z, d%positive) (at level 35).

(** What the written forms of numbers and levels are read as. *)
Example read_numbers : map (number_of 100) ["3/7"; "2"; "0.1"; "1e-3"; "2.50e1"; "0/5"] =
  [Done (3 // 7); Done (2 // 1); Done (1 // 10); Done (1 // 1000); Done (250 // 10);
    Done (0 // 5)].
Proof. vm_compute. reflexivity. Qed.

Example read_levels : map level_of ["1/10"; "log(11/10)"; "log((7+sqrt(33))/8)"; "log(1-sqrt(2))";
  "log(sqrt(5)/2)"; "inf"] =
  [Done (Nats (1 // 10)); Done (Log (11 // 10)); Done (Log_surd 7 false 33 8);
    Done (Log_surd 1 true 2 1);
   Done (Log_surd 0 false 5 2); Done Infinite]%Z.
Proof. vm_compute. reflexivity. Qed.

Example not_numbers : forallb (fun s => match number_of 100 s with Rejected _ _ => true | _ =>
  false end)
  [""; "-1"; "+1"; "1."; ".5"; "1/0"; "1/"; "/2"; "1e"; "1e+"; " 1"; "1 "; "0x1"; "1/2/3"; "1/2e1";
    "inf"; "NaN"] = true.
Proof. vm_compute. reflexivity. Qed.

Example e_to_a_tenth : 1105170918075647624811 / 10 ^ 21 <= exp (1 / 10) <= 1105170918075647624812 /
  10 ^ 21.
Proof.
  assert (H : of_rational (1 // 10) = 1 / 10) by reflexivity.
  destruct (exp_bound_sound 80 (1 // 10)) as [[_ [_ HU]] [_ [_ HO]]]; [simpl; lia|].
  rewrite H in *. vm_compute exp_bound in HU, HO. simpl in HU, HO. lra.
Qed.

(** The certificates of docs/certificates.md. *)
Definition moderate_rows : json := Items [Items [Text "4/5"; Text "1/5"]; Items [Text "0";
  Text "1"]].
Definition moderate_matrix : list (list rational) := [[4 // 5; 1 // 5]; [0 // 1; 1 // 1]].

Definition half_rows : json := Items [Items [Text "1/2"; Text "1/2"]; Items [Text "1/4";
  Text "3/4"]].
Definition half_matrix : list (list rational) := [[1 // 2; 1 // 2]; [1 // 4; 3 // 4]].

Definition loss_document : json := Fields
  [("certificate", Text "loss"); ("version", Integer 1); ("digits", Integer 17);
   ("matrix", moderate_rows); ("alpha", Text "log(2)"); ("rows", Items [Integer 1; Integer 2]);
     ("subset", Items [Integer 1]);
   ("loss", Fields [("lower", Text "log(9/5)"); ("upper", Text "log(9/5)")]);
   ("level", Fields [("lower", Text "0.587786664902119"); ("upper", Text "0.58778666490211901")])].

Example loss_document_holds : holds (Loss moderate_matrix (Log (2 // 1))
  (Log (9 // 5), Log (9 // 5))
  (Nats (587786664902119 // 1000000000000000), Nats (58778666490211901 // 100000000000000000))).
Proof. apply (check_sound loss_document). vm_compute. reflexivity. Qed.

(** And the document states it. *)
Example loss_document_states : denotes loss_document (Loss moderate_matrix (Log (2 // 1))
  (Log (9 // 5), Log (9 // 5))
  (Nats (587786664902119 // 1000000000000000), Nats (58778666490211901 // 100000000000000000))).
Proof. apply check_denotes. vm_compute. reflexivity. Qed.

(** Another claim that holds is not what it states. *)
Example loss_document_states_no_other : ~ denotes loss_document (Divergent moderate_matrix
  (Log (5 // 4))).
Proof. intros [H _]. cbn in H. intuition congruence. Qed.

Example number_printed_and_read : exists y, number_of 100 (print_rational (6 // 4) "") = Done y /\
  of_rational y = of_rational (6 // 4).
Proof. apply number_read_again; vm_compute; discriminate. Qed.

Example level_printed_and_read : exists l, level_of (print_level (Log_surd (-3) true 5 7) "") =
  Done l /\
  of_level l = of_level (Log_surd (-3) true 5 7).
Proof. apply level_read_again. vm_compute. repeat split; discriminate. Qed.

Example lfp_optimum_document_holds : holds (Lfp_optimum [4 // 5; 1 // 5] [0 // 1;
  1 // 1] (Log (2 // 1))
  (Log (9 // 5), Log (9 // 5)) (Some (9 // 5))).
Proof.
  apply (check_sound (Fields
    [("certificate", Text "lfp-optimum"); ("version", Integer 1); ("digits", Integer 17);
     ("q", Items [Text "4/5"; Text "1/5"]); ("d", Items [Text "0"; Text "1"]);
       ("alpha", Text "log(2)"); ("subset", Items [Integer 1]);
     ("value", Fields [("lower", Text "log(9/5)"); ("upper", Text "log(9/5)")]);
     ("primal", Fields [("t", Text "1"); ("y", Items [Text "2"; Text "1"])]);
     ("dual", Fields [("lambda", Text "9/5"); ("u", Items [Text "0"; Text "8/5"]);
       ("w", Items [Text "4/5"; Text "0"])])])).
  vm_compute. reflexivity.
Qed.

Definition piece_document (q d from to : string) (two columns : list Z) : json := Fields
  [("q", Text q); ("d", Text d); ("from", Text from); ("to", Text to);
    ("rows", Items (map Integer two));
   ("subset", Items (map Integer columns))].

Example loss_function_document_holds : holds (Loss_function
  [[1 // 10; 1 // 5; 7 // 10]; [3 // 10; 3 // 10; 2 // 5]; [1 // 2; 3 // 10; 1 // 5]]
  [((7 // 10, 1 // 5), (Nats (0 // 1), Log (13 // 3))); ((1 // 2, 1 // 10), (Log (13 // 3),
    Infinite))]).
Proof.
  apply (check_sound (Fields
    [("certificate", Text "loss-function"); ("version", Integer 1);
     ("matrix", Items [Items [Text "1/10"; Text "1/5"; Text "7/10"]; Items [Text "3/10";
       Text "3/10"; Text "2/5"];
       Items [Text "1/2"; Text "3/10"; Text "1/5"]]);
     ("pieces", Items [piece_document "7/10" "1/5" "0" "log(13/3)" [1; 3]%Z [3]%Z;
       piece_document "1/2" "1/10" "log(13/3)" "inf" [3; 1]%Z [1]%Z])])).
  vm_compute. reflexivity.
Qed.

Definition about_supremum (kind : string) (fields : list (string * json)) : json :=
  Fields (("certificate", Text kind) :: ("version", Integer 1) :: ("digits", Integer 17) ::
    ("matrix", moderate_rows) :: fields).

Example bounded_document_holds :
  holds (Bounded moderate_matrix (Log (9 // 8)) (Log (9 // 4)) (Nats (82 // 100))).
Proof.
  apply (check_sound (about_supremum "bounded" [("epsilon", Text "log(9/8)");
    ("bound", Text "log(9/4)"); ("level", Text "0.82")])).
  vm_compute. reflexivity.
Qed.

Example bounded_below_document_holds :
  holds (Bounded_below moderate_matrix (Log (9 // 8)) (Log (9 // 4)) (Nats (81 // 100))).
Proof.
  apply (check_sound (about_supremum "bounded-below" [("epsilon", Text "log(9/8)");
    ("rows", Items [Integer 1; Integer 2]);
    ("subset", Items [Integer 1]); ("bound", Text "log(9/4)"); ("level", Text "0.81")])).
  vm_compute. reflexivity.
Qed.

Example divergent_document_holds : holds (Divergent moderate_matrix (Log (5 // 4))).
Proof.
  apply (check_sound (about_supremum "divergent" [("epsilon", Text "log(5/4)");
    ("rows", Items [Integer 1; Integer 2]);
    ("subset", Items [Integer 1])])).
  vm_compute. reflexivity.
Qed.

(** The kinds about all mechanisms assume what is written in them, word by word. *)
Definition of_all_steps (more : list string) : json :=
  Items (map Text ("each matrix is that of all steps" :: more)).

Definition without_bound (fields : list (string * json)) : json := Fields
  (("certificate", Text "worst-case-divergent") :: ("version", Integer 1) ::
   ("digits", Integer 17) ::
   ("assumed", of_all_steps ["the values can occur at all times"]) :: fields).

Example tight_divergent_document_holds : holds (Tight_divergent moderate_matrix (Log (5 // 4))
  [[true; false]; [false; true]]).
Proof.
  apply (check_sound (without_bound [("matrix", moderate_rows); ("epsilon", Text "log(5/4)");
    ("sets", Items [Items [Integer 1]; Items [Integer 2]]); ("next", Null);
      ("weights", Items [Text "1"])])).
  vm_compute. reflexivity.
Qed.

Example tight_divergent_periodic_holds :
  holds (Tight_divergent [[0 // 1; 1 // 1]; [1 // 1; 0 // 1]] (Nats (1 // 10)) [[true; false];
    [false; true]]).
Proof.
  apply (check_sound (without_bound [("matrix", Items [Items [Text "0"; Text "1"]; Items [Text "1";
    Text "0"]]);
    ("epsilon", Text "0.1"); ("sets", Items [Items [Integer 1]; Items [Integer 2]]);
      ("next", Items [Integer 2; Integer 1]);
    ("weights", Null)])).
  vm_compute. reflexivity.
Qed.

Example tight_upper_document_holds : holds (Tight_upper (Constant moderate_matrix)
  (Constant half_matrix)
  [Log (2 // 1); Log (2 // 1); Log (2 // 1)] (Some 1%nat)
    (Nats (1463255402256019 // 1000000000000000))).
Proof.
  apply (check_sound (Fields
    [("certificate", Text "worst-case-upper"); ("version", Integer 1); ("digits", Integer 17);
     ("assumed", of_all_steps ["mechanisms after a time do not depend on earlier outputs"]);
     ("backward", moderate_rows); ("forward", half_rows);
     ("epsilons", Items [Text "log(2)"; Text "log(2)"; Text "log(2)"]); ("time", Integer 2);
     ("past", Items [Items [Items [Text "1"; Text "1.800000000000000000000000000000001"];
       Items [Text "1.66734"; Text "1"]]]);
     ("future", Items [Items [Items [Text "1"; Text "1.200000000000000000000000000000001"];
       Items [Text "1.16684"; Text "1"]]]);
     ("level", Text "1.463255402256019")])).
  vm_compute. reflexivity.
Qed.

Example tight_lower_document_holds : holds (Tight_lower (Constant moderate_matrix)
  (Constant half_matrix)
  [Log (2 // 1); Log (2 // 1); Log (2 // 1)] 1 0 1 (Nats (14632554022560189 //
    10000000000000000))).
Proof.
  apply (check_sound (Fields
    [("certificate", Text "worst-case-lower"); ("version", Integer 1); ("digits", Integer 17);
     ("assumed", of_all_steps ["both values can occur"; "the matrices are those of one chain"]);
     ("backward", moderate_rows); ("forward", half_rows);
     ("epsilons", Items [Text "log(2)"; Text "log(2)"; Text "log(2)"]); ("time", Integer 2);
     ("rows", Items [Integer 1; Integer 2]); ("past", Items [Items [Integer 1]]);
       ("future", Items [Items [Integer 1]]);
     ("level", Text "1.4632554022560189")])).
  vm_compute. reflexivity.
Qed.

(** A matrix for each step, the second of which has rows (1/2, 1/2), (0, 1): two in turns, or one
    for each of two steps. *)
Definition later_rows : json := Items [Items [Text "1/2"; Text "1/2"]; Items [Text "0"; Text "1"]].
Definition later_matrix : list (list rational) := [[1 // 2; 1 // 2]; [0 // 1; 1 // 1]].

Example tight_upper_in_turns_holds : holds (Tight_upper (Cycle [moderate_matrix; later_matrix])
  (Constant []) [Log (2 // 1); Log (2 // 1); Log (2 // 1)] (Some 2%nat)
    (Nats (15260563034950494 // 10000000000000000))).
Proof.
  apply (check_sound (Fields
    [("certificate", Text "worst-case-upper"); ("version", Integer 1); ("digits", Integer 17);
     ("assumed", Items [Text "each matrix is that of its step";
       Text "mechanisms after a time do not depend on earlier outputs"]);
     ("backward", Fields [("cycle", Items [moderate_rows; later_rows])]); ("forward", Null);
     ("epsilons", Items [Text "log(2)"; Text "log(2)"; Text "log(2)"]); ("time", Integer 3);
     ("past", Items [Items [Items [Text "1"; Text "2.30000000000000000000000000000001"];
       Items [Text "1.539000000001"; Text "1"]]]);
     ("future", Null); ("level", Text "1.5260563034950494")])).
  vm_compute. reflexivity.
Qed.

Example tight_lower_by_steps_holds : holds (Tight_lower (Steps [moderate_matrix; later_matrix])
  (Constant []) [Log (2 // 1); Log (2 // 1); Log (2 // 1)] 2 0 1
    (Nats (15260563034950493 // 10000000000000000))).
Proof.
  apply (check_sound (Fields
    [("certificate", Text "worst-case-lower"); ("version", Integer 1); ("digits", Integer 17);
     ("assumed", Items [Text "each matrix is that of its step"; Text "both values can occur";
       Text "the matrices are those of one chain"]);
     ("backward", Fields [("steps", Items [moderate_rows; later_rows])]); ("forward", Null);
     ("epsilons", Items [Text "log(2)"; Text "log(2)"; Text "log(2)"]); ("time", Integer 3);
     ("rows", Items [Integer 1; Integer 2]);
     ("past", Items [Items [Integer 1]; Items [Integer 1]]); ("future", Items []);
     ("level", Text "1.5260563034950493")])).
  vm_compute. reflexivity.
Qed.

Example tight_forever_document_holds :
  holds (Tight_forever moderate_matrix [] (Log (9 // 8)) (Nats (81093021621632877 //
    100000000000000000))).
Proof.
  apply (check_sound (Fields
    [("certificate", Text "worst-case-forever"); ("version", Integer 1); ("digits", Integer 17);
     ("assumed", of_all_steps ["mechanisms after a time do not depend on earlier outputs"]);
     ("backward", moderate_rows); ("forward", Null); ("epsilon", Text "log(9/8)");
     ("past", Fields [("steps", Integer 20);
        ("barriers", Items [Fields [("above", Items [Text "1"; Text "0"]);
          ("below", Items [Text "0"; Text "9/4"]);
           ("theta", Text "9/10")]]);
        ("ratios", Items [Items [Text "1"; Text "2.000000000000000000000000000000001"];
          Items [Text "3/2"; Text "1"]])]);
     ("future", Null); ("level", Text "0.81093021621632877")])).
  vm_compute. reflexivity.
Qed.

(** Two releases at log 2 under the backward matrix: BPL is log 2, then log(18/5); FPL is log 2 at
    both. *)
Definition bounds_document (lower upper : string) : json := Fields [("lower", Text lower);
  ("upper", Text upper)].
Definition step_document (two : json) (columns : list json) (loss bounds : string) (level : json) :
  json := Fields
  [("rows", two); ("subset", Items columns); ("loss", bounds_document loss loss);
    ("bounds", bounds_document bounds bounds);
   ("level", level)].
Definition log_2 : json := bounds_document "0.6931471805599453" "0.69314718055994531".
Definition log_18_5 : json := bounds_document "1.2809338454620642" "1.2809338454620644".

Example leakage_document_holds : exists bpl fpl tpl,
  holds (Leakage (Constant moderate_matrix) (Constant []) [Log (2 // 1); Log (2 // 1)] bpl fpl
    tpl) /\
  nth_error bpl 1 = Some ((Log (9 // 5), Log (9 // 5)), (Log (18 // 5), Log (18 // 5)),
    (Nats (12809338454620642 // 10000000000000000),
      Nats (12809338454620644 // 10000000000000000))).
Proof.
  do 3 eexists. split.
  - apply (check_sound (Fields
      [("certificate", Text "leakage"); ("version", Integer 1); ("digits", Integer 17);
       ("backward", moderate_rows); ("forward", Null); ("epsilons", Items [Text "log(2)";
         Text "log(2)"]);
       ("bpl", Items [step_document (Items [Integer 1; Integer 2]) [Integer 1] "0" "log(2)" log_2;
          step_document (Items [Integer 1; Integer 2]) [Integer 1] "log(9/5)" "log(18/5)"
            log_18_5]);
       ("fpl", Items [step_document Null [] "0" "log(2)" log_2; step_document Null [] "0" "log(2)"
         log_2]);
       ("tpl", Items [log_2; log_18_5])])).
    vm_compute. reflexivity.
  - reflexivity.
Qed.

(** A third release, and the later matrix for the step to it: BPL is then log(23/5). *)
Definition log_23_5 : json := bounds_document "1.5260563034950493" "1.5260563034950494".
Definition by_steps_document (third : list json) : json := Fields
  [("certificate", Text "leakage"); ("version", Integer 1); ("digits", Integer 17);
   ("backward", Fields [("steps", Items [moderate_rows; later_rows])]); ("forward", Null);
   ("epsilons", Items [Text "log(2)"; Text "log(2)"; Text "log(2)"]);
   ("bpl", Items (step_document Null [] "0" "log(2)" log_2 :: step_document (Items [Integer 1;
      Integer 2]) [Integer 1] "log(9/5)" "log(18/5)" log_18_5 :: third));
   ("fpl", Items (repeat (step_document Null [] "0" "log(2)" log_2) 3));
   ("tpl", Items [log_2; log_18_5; log_23_5])].

Example leakage_by_steps_holds : exists bpl fpl tpl,
  holds (Leakage (Steps [moderate_matrix; later_matrix]) (Constant []) [Log (2 // 1); Log (2 // 1);
    Log (2 // 1)] bpl fpl tpl) /\
  nth_error bpl 2 = Some ((Log (23 // 10), Log (23 // 10)), (Log (23 // 5), Log (23 // 5)),
    (Nats (15260563034950493 // 10000000000000000),
      Nats (15260563034950494 // 10000000000000000))).
Proof.
  do 3 eexists. split.
  - apply (check_sound (by_steps_document [step_document (Items [Integer 1; Integer 2]) [Integer 1]
      "log(23/10)" "log(23/5)" log_23_5])). vm_compute. reflexivity.
  - reflexivity.
Qed.

(** An adversary who holds two chains equally possible. *)
Definition sticky_rows : json := Items [Items [Text "4/5"; Text "1/5"]; Items [Text "1/5";
  Text "4/5"]].
Definition sticky_matrix : list (list rational) := [[4 // 5; 1 // 5]; [1 // 5; 4 // 5]].
Definition two_chains : list written_chain :=
  [([1 // 2; 1 // 2], (sticky_matrix, sticky_matrix)); ([1 // 3; 2 // 3],
    (half_matrix, half_matrix))].
Definition mixture_document (kind level : string) (one other : list (string * json)) (more :
  list (string * json)) : json := Fields
  ([("certificate", Text kind); ("version", Integer 1); ("digits", Integer 17);
    ("assumed", of_all_steps
      ["the values are one of the chains, with the probabilities of the prior, and stationary"]);
    ("prior", Items [Text "1/2"; Text "1/2"]);
    ("chains", Items [Fields (("stationary", Items [Text "1/2"; Text "1/2"]) ::
       ("backward", sticky_rows) :: ("forward", sticky_rows) :: one);
      Fields (("stationary", Items [Text "1/3"; Text "2/3"]) :: ("backward", half_rows) ::
        ("forward", half_rows) :: other)]);
    ("epsilons", Items [Text "log(2)"; Text "log(2)"; Text "log(2)"]); ("time", Integer 2);
    ("level", Text level)] ++ more)%list.
Definition ratios_document (x y : string) : json := Items [Items [Items [Text "1"; Text x];
  Items [Text y; Text "1"]]].
Definition both_sides (x y : string) : list (string * json) :=
  [("past", ratios_document x y); ("future", ratios_document x y)].

Example mixture_upper_document_holds : holds (Mixture_upper [1 // 2; 1 // 2] two_chains
  [Log (2 // 1); Log (2 // 1); Log (2 // 1)] 1 (Nats (18405496333974871 // 10000000000000000))).
Proof.
  apply (check_sound (mixture_document "mixture-upper" "1.8405496333974871"
    (both_sides "1.500000000000000000000000000000002" "1.500000000000000000000000000000002")
    (both_sides "1.200000000000000000000000000000001" "1.166833333335") [])).
  vm_compute. reflexivity.
Qed.

Example mixture_lower_document_holds : holds (Mixture_lower [1 // 2; 1 // 2] two_chains
  [Log (2 // 1); Log (2 // 1); Log (2 // 1)] 1 0 1 (Nats (13262490416741067 //
    10000000000000000))).
Proof.
  apply (check_sound (mixture_document "mixture-lower" "1.3262490416741067" [] []
    [("rows", Items [Integer 1; Integer 2]); ("past", Items [Items [Integer 1]]);
     ("future", Items [Items [Integer 1]])])).
  vm_compute. reflexivity.
Qed.

(** Releases that are each private with log(2): three of them, and one. *)
Definition profile_document (own : string) (releases : Z) (alpha delta : string) : json := Fields
  [("certificate", Text "profile-upper"); ("version", Integer 1); ("digits", Integer 17);
   ("assumed", of_all_steps ["releases up to the time read no later values, or for a forward " ++
     "matrix those from it on no earlier ones"]);
   ("matrix", sticky_rows); ("epsilon", Text "log(2)"); ("delta_per_release", Text own);
   ("releases", Integer releases); ("alpha", Text alpha); ("delta", Text delta)].

Example profile_upper_document_holds : holds (Profile_upper sticky_matrix (Log (2 // 1)) (0 // 1) 3
  (Nats (12927683031090674 // 10000000000000000)) (1 // 100)).
Proof.
  apply (check_sound (profile_document "0" 3 "1.2927683031090674" "0.01")). vm_compute.
  reflexivity.
Qed.

Example profile_upper_of_one_holds : holds (Profile_upper sticky_matrix (Log (2 // 1)) (0 // 1) 1
  (Log (3 // 2)) (1 // 6)).
Proof. apply (check_sound (profile_document "0" 1 "log(3/2)" "1/6")). vm_compute. reflexivity. Qed.

Definition places_document (peaks : list (list string)) (start alpha delta : string) (releases :
  Z) : json := Fields
  [("certificate", Text "profile-lower"); ("version", Integer 1); ("digits", Integer 17);
   ("assumed", of_all_steps ["both values can occur"]); ("matrix", sticky_rows);
   ("epsilon", Text "log(2)"); ("delta_per_release", Text "0"); ("releases", Integer releases);
   ("rows", Items [Integer 1; Integer 2]);
   ("peaks", Items (map (fun own => Items (map Text own)) peaks)); ("start", Text start);
   ("alpha", Text alpha); ("delta", Text delta)].

Example profile_lower_document_holds : holds (Profile_lower sticky_matrix (Log (2 // 1)) (0 // 1) 3
  0 1 (Nats (12927683031090669 // 10000000000000000)) (1 // 100)).
Proof.
  apply (check_sound (places_document [["1/3"; "0"]; ["1/6"; "0"]] "1/12" "1.2927683031090669"
    "0.01" 3)). vm_compute. reflexivity.
Qed.

Example profile_lower_of_one_holds : holds (Profile_lower sticky_matrix (Log (2 // 1)) (0 // 1) 1
  0 1 (Log (3 // 2)) (1 // 6)).
Proof.
  apply (check_sound (places_document [] "1/3" "log(3/2)" "1/6" 1)). vm_compute. reflexivity.
Qed.

(** A bound or budget that is too low by a little is no longer accepted, nor a matrix whose row
    does not sum to 1. *)
Example false_documents : forallb (fun j => match check j with Rejected _ _ => true | _ =>
  false end)
  [about_supremum "bounded" [("epsilon", Text "log(9/8)"); ("bound", Text "log(8999999/4000000)");
    ("level", Text "0.82")];
   Fields [("certificate", Text "divergent"); ("version", Integer 1); ("digits", Integer 17);
     ("matrix", Items [Items [Text "4/5"; Text "2/5"]; Items [Text "0"; Text "1"]]);
       ("epsilon", Text "log(5/4)");
     ("rows", Items [Integer 1; Integer 2]); ("subset", Items [Integer 1])];
   without_bound [("matrix", moderate_rows); ("epsilon", Text "log(4999999/4000000)");
     ("sets", Items [Items [Integer 1]; Items [Integer 2]]); ("next", Null);
       ("weights", Items [Text "1"])];
   by_steps_document [step_document (Items [Integer 1; Integer 2]) [Integer 1] "log(9/5)"
     "log(18/5)" log_23_5];
   profile_document "0" 3 "1.2927683031090669" "0.01";
   profile_document "1/1000" 3 "1.2927683031090674" "0.01";
   profile_document "0" 1 "log(3/2)" "0.1666666666";
   places_document [["1/3"; "0"]; ["1/6"; "0"]] "1/12" "1.2927683031090675" "0.01" 3;
   places_document [["1/3"; "0"]; ["0"; "1/6"]] "1/12" "1.2927683031090669" "0.01" 3;
   places_document [] "1/3" "log(3/2)" "0.1666666667" 1;
   mixture_document "mixture-upper" "1.8405496333974869"
     (both_sides "1.500000000000000000000000000000002" "1.500000000000000000000000000000002")
     (both_sides "1.200000000000000000000000000000001" "1.166833333335") [];
   mixture_document "mixture-lower" "1.3262490416741069" [] []
    [("rows", Items [Integer 1; Integer 2]); ("past", Items [Items [Integer 1]]);
     ("future", Items [Items [Integer 1]])]] = true.
Proof. vm_compute. reflexivity. Qed.
