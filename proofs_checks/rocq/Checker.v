(** The verified checker: it reads a certificate into a claim, and accepts it where [holds] is
    proved of that claim. *)

From TPL Require Export CheckLoss CheckProgram CheckFunction CheckLeakage CheckTight CheckForever
  CheckLower CheckDivergent CheckMixture CheckPlaces.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(** The kinds that are checked: their fields, and how. *)
Definition kinds : list (string * (list string * (list json -> result claim))) :=
  [("lfp-optimum", (["digits"; "q"; "d"; "alpha"; "subset"; "value"; "primal"; "dual"],
    check_lfp_optimum));
   ("loss-function", (["matrix"; "pieces"], check_loss_function));
   ("loss", (["digits"; "matrix"; "alpha"; "rows"; "subset"; "loss"; "level"], check_loss));
   ("bounded", (["digits"; "matrix"; "epsilon"; "bound"; "level"], check_bounded));
   ("bounded-below", (["digits"; "matrix"; "epsilon"; "rows"; "subset"; "bound"; "level"],
     check_bounded_below));
   ("divergent", (["digits"; "matrix"; "epsilon"; "rows"; "subset"], check_divergent));
   ("leakage", (["digits"; "backward"; "forward"; "epsilons"; "bpl"; "fpl"; "tpl"],
     check_leakage));
   ("worst-case-upper", (["digits"; "assumed"; "backward"; "forward"; "epsilons"; "time"; "past";
     "future"; "level"], check_tight_upper));
   ("worst-case-forever", (["digits"; "assumed"; "backward"; "forward"; "epsilon"; "past";
     "future"; "level"], check_tight_forever));
   ("worst-case-lower", (["digits"; "assumed"; "backward"; "forward"; "epsilons"; "time"; "rows";
     "past"; "future"; "level"], check_tight_lower));
   ("worst-case-divergent", (["digits"; "assumed"; "matrix"; "epsilon"; "sets"; "next"; "weights"],
     check_tight_divergent));
   ("mixture-upper", (["digits"; "assumed"; "prior"; "chains"; "epsilons"; "time"; "level"],
     check_mixture_upper));
   ("mixture-lower", (["digits"; "assumed"; "prior"; "chains"; "epsilons"; "time"; "rows"; "past";
     "future"; "level"], check_mixture_lower));
   ("profile-upper", (["digits"; "assumed"; "matrix"; "epsilon"; "delta_per_release"; "releases";
     "alpha"; "delta"], check_profile_upper));
   ("profile-lower", (["digits"; "assumed"; "matrix"; "epsilon"; "delta_per_release"; "releases";
     "rows"; "peaks"; "start"; "alpha"; "delta"], check_profile_lower))].

Fixpoint kind_of (name : string) (known : list (string * (list string * (list json ->
  result claim))))
  : result (list string * (list json -> result claim)) :=
  match known with
  | [] => Rejected "certificate" "no kind that this checker knows"
  | (k, how) :: rest => if String.eqb k name then Done how else kind_of name rest
  end.

Definition check (document : json) : result claim :=
  match document with
  | Fields l =>
      let! kind := field "certificate" l in
      match kind with
      | Text name =>
          let! (keys, how) := kind_of name kinds in
          let! values := fields ("certificate" :: "version" :: keys) document in
          match values with
          | _ :: version :: rest => let! _ := version_1 version in how rest
          | _ => Rejected "" "a version is expected"
          end
      | _ => Rejected "certificate" "a text is expected"
      end
  | _ => Rejected "" "an object is expected"
  end.

(** Of a document that is accepted the claim holds. *)
Theorem check_sound document c : check document = Done c -> holds c.
Proof.
  unfold check. destruct document as [| | |l| |]; try discriminate. intros H. step H.
  destruct a as [name| | | | |]; try discriminate. step H.
  match goal with E : fields _ _ = Done ?v |- _ => destruct v as [|x [|version rest]];
    try discriminate end. step H.
  unfold kinds in *. cbn [kind_of] in *.
  repeat match goal with
  | E : (if String.eqb ?k name then _ else _) = Done _ |- _ =>
      destruct (String.eqb k name); [injection E as <- <-|]
  end; try discriminate.
  - eapply check_lfp_optimum_sound. eassumption.
  - eapply check_loss_function_sound. eassumption.
  - eapply check_loss_sound. eassumption.
  - eapply check_bounded_sound. eassumption.
  - eapply check_bounded_below_sound. eassumption.
  - eapply check_divergent_sound. eassumption.
  - eapply check_leakage_sound. eassumption.
  - eapply check_tight_upper_sound. eassumption.
  - eapply check_tight_forever_sound. eassumption.
  - eapply check_tight_lower_sound. eassumption.
  - eapply check_tight_divergent_sound. eassumption.
  - eapply check_mixture_upper_sound. eassumption.
  - eapply check_mixture_lower_sound. eassumption.
  - eapply check_profile_upper_sound. eassumption.
  - eapply check_profile_lower_sound. eassumption.
Qed.
