import js from "@eslint/js";
import a11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["web/dist/**"] },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  hooks.configs.flat["recommended-latest"],
  a11y.flatConfigs.strict,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js"] }, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  {
    rules: {
      // Dropping a file is a second way beside a button; the list is the plug-in's own recommended one.
      "jsx-a11y/no-noninteractive-element-interactions": [
        "error",
        { handlers: ["onClick", "onError", "onLoad", "onMouseDown", "onMouseUp", "onKeyPress", "onKeyDown", "onKeyUp"] },
      ],
    },
  },
  // `act` needs a promise to wait for what an action sets off.
  { files: ["**/*.test.tsx", "web/src/test/**"], rules: { "@typescript-eslint/require-await": "off" } },
  { files: ["**/*.js"], extends: [ts.configs.disableTypeChecked] },
);
