# cmake --install: the programs, librhea.so, the headers, recipes and configurations, and the package that
# find_package(Rhea) reads. Consumers link Rhea::rhea.
include(CMakePackageConfigHelpers)

get_property(recipe_programs GLOBAL PROPERTY RHEA_RECIPE_PROGRAMS)
set(programs rhea-cli rhea-validate rhea-doctor ${recipe_programs})
set_target_properties(rhea ${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${RHEA_TORCH_LIBRARY_DIR}")

install(TARGETS rhea EXPORT RheaTargets LIBRARY DESTINATION lib)
install(TARGETS ${programs} RUNTIME DESTINATION bin)
install(DIRECTORY rhea DESTINATION include FILES_MATCHING PATTERN "*.h")
install(DIRECTORY recipes configs DESTINATION share/rhea)
install(EXPORT RheaTargets NAMESPACE Rhea:: DESTINATION lib/cmake/Rhea)

configure_package_config_file(cmake/RheaConfig.cmake.in ${CMAKE_BINARY_DIR}/RheaConfig.cmake INSTALL_DESTINATION lib/cmake/Rhea)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/RheaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/RheaConfig.cmake ${CMAKE_BINARY_DIR}/RheaConfigVersion.cmake cmake/torch.cmake
        DESTINATION lib/cmake/Rhea)

# `rhea run my_recipe.cpp` compiles against the installation, not against the tree that it was built in.
install(CODE "
  file(READ \"${CMAKE_BINARY_DIR}/recipe_command.txt\" command)
  string(REPLACE \"-I${CMAKE_SOURCE_DIR} \" \"-I\${CMAKE_INSTALL_PREFIX}/include \" command \"\${command}\")
  string(REPLACE \"-isystem ${CMAKE_BINARY_DIR}/include \" \"\" command \"\${command}\")
  string(REPLACE \"${CMAKE_BINARY_DIR}/lib\" \"\${CMAKE_INSTALL_PREFIX}/lib\" command \"\${command}\")
  file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/rhea/recipe_command.txt\" \"\${command}\")
")
