"""The schemas of the contract as HTML."""

from text import anchor_link, escaped, inline_html, paragraphs, table, tag


def reference_name(node):
    return node["$ref"].rsplit("/", 1)[1]


def type_of(schema):
    """A short name of a type, with a link to a named schema."""
    if "$ref" in schema:
        return anchor_link(f"schema-{reference_name(schema)}", reference_name(schema))
    if schema.get("type") == "array":
        return f"list of {type_of(schema['items'])}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"map to {type_of(schema['additionalProperties'])}"
    return escaped(schema.get("format") or schema.get("type", "any"))


def values_of(schema):
    """The values that a schema allows, in words."""
    if "enum" in schema:
        return " One of " + ", ".join(f"<code>{escaped(value)}</code>" for value in schema["enum"]) + "."
    words = {"minimum": "at least", "maximum": "at most"}
    bounds = [f"{word} {schema[key]}" for key, word in words.items() if key in schema]
    return f" {', '.join(bounds).capitalize()}." if bounds else ""


def members_of(schema):
    """The rows of a table of the schema's members."""
    required = schema.get("required", [])
    return [
        (
            f"<code>{escaped(name)}</code>" + ("" if name in required else " <i>optional</i>"), type_of(member),
            inline_html(" ".join(member.get("description", "").split())) + values_of(member),
        )
        for name, member in schema.get("properties", {}).items()
    ]


def section(name, schema):
    """The section of one named schema."""
    parts = [tag("h3", anchor_link(f"schema-{name}", name)), paragraphs(schema.get("description"))]
    if "properties" in schema:
        parts.append(table(members_of(schema), "Members"))
    else:
        parts.append(f"<p>{type_of(schema)}.{values_of(schema)}</p>")
    return tag("section", "".join(parts), id=f"schema-{name}", class_="schema")
