# The gallery; what its entries say is tested in tests/gallery.
if(TARGET manychain_gallery_cli AND MANYCHAIN_FULL_TESTS)
  manychain_cli_test(gallery COMMAND gallery OUT "^Sampling without a chain[\n]  integral " "[\n]Markov chains[\n]"
                             "[\n]Markov chain Monte Carlo[\n]  proposal_step ")
  manychain_cli_test(gallery_entry COMMAND gallery two_state_chain
                     OUT "[\n]  stationary, state 1 +0.45454545 +0.45454545 +<= 1e-14 +agrees[\n]"
                         "[\n]Right: 5 of 5 answers agree.[\n]$")
  manychain_cli_test(gallery_seed COMMAND gallery rejection_rate --quick --seed 7 OUT "--seed 7 " "[\n]Right: ")
  manychain_cli_test(gallery_all COMMAND gallery --all --quick
                     OUT "[\n]two_state_chain +[0-9.]+ s  right   5 of  5 agree[\n]" "[\n]Right: [0-9]+ entries, ")
  set_tests_properties(cli.gallery_all PROPERTIES TIMEOUT 600)  # under a sanitizer
  manychain_cli_test(gallery_help COMMAND gallery --help OUT "--all" "--seed" "5 if not")
  manychain_cli_refuses(gallery_unknown "unknown entry proposal_stp; did you mean proposal_step" gallery proposal_stp)
  manychain_cli_refuses(gallery_both "give --all or one entry, not both" gallery integral --all)
  manychain_cli_refuses(gallery_backend "--backend: there is no gpu; did you mean cuda" gallery integral --backend gpu)
  manychain_cli_refuses(gallery_bad_seed "--seed: -1 is not a whole number" gallery integral --seed -1)
  manychain_cli_refuses(gallery_option "unknown option --sead; did you mean --seed" gallery integral --sead 1)
  add_test(NAME cli.gallery_interrupt COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/interrupt_gallery.sh $<TARGET_FILE:manychain_cli>)
  foreach(name gallery gallery_entry gallery_seed gallery_all gallery_help gallery_unknown gallery_both gallery_backend
          gallery_bad_seed gallery_option gallery_interrupt)
    set_tests_properties(cli.${name} PROPERTIES LABELS "cli;full")
  endforeach()
endif()
