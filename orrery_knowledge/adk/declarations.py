"""How a tool whose arguments are texts is declared to a model, in either of ADK's two ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.adk.features import FeatureName, is_feature_enabled
from google.adk.tools.base_tool import BaseTool
from google.genai import types


def declaration(
    tool: BaseTool, parameters: Mapping[str, str], required: Sequence[str]
) -> types.FunctionDeclaration:
    """The declaration of a tool.

    Args:
        tool: with its name and description.
        parameters: name -> what it is for.
        required: names of those that can't be left out.
    """
    if is_feature_enabled(FeatureName.JSON_SCHEMA_FOR_FUNC_DECL):
        return types.FunctionDeclaration(
            name=tool.name,
            description=tool.description,
            parameters_json_schema={
                "type": "object",
                "properties": {
                    name: {"type": "string", "description": text}
                    for name, text in parameters.items()
                },
                "required": list(required),
            },
        )
    return types.FunctionDeclaration(
        name=tool.name,
        description=tool.description,
        parameters=types.Schema(
            type=types.Type.OBJECT,
            properties={
                name: types.Schema(type=types.Type.STRING, description=text)
                for name, text in parameters.items()
            },
            required=list(required),
        ),
    )
