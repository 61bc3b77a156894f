//! Computes the value of a tree.

use super::{
    functions::Function,
    mistake::{Fault, Mistake},
    number::Number,
    parse::{Link, Node, Rung, Sign},
    token::Operator,
};

/// Computes the value; goes as deep as brackets nest, which the parser limits.
///
/// Plain loops rather than folds: a closure on every level would double the stack that is needed.
pub(super) fn evaluate(node: &Node) -> Result<Number, Mistake> {
    match node {
        Node::Number(number) => Ok(*number),
        Node::Chain { first, rest } => chain(first, rest),
        Node::Tower { rungs, top, sign } => tower(rungs, top, *sign),
        Node::Call { function, position, arguments } => call(function, *position, arguments),
    }
}

fn chain(first: &Node, rest: &[Link]) -> Result<Number, Mistake> {
    let mut value = evaluate(first)?;
    for Link { operator, position, operand } in rest {
        let right = evaluate(operand)?;
        value = apply(*operator, value, right)
            .map_err(|fault| fault.of(operator.symbol(), *position))?;
    }
    Ok(value)
}

fn tower(rungs: &[Rung], top: &Node, sign: Sign) -> Result<Number, Mistake> {
    let mut value = signed(sign, evaluate(top)?);
    for Rung { sign, base, position } in rungs.iter().rev() {
        let power = evaluate(base)?.power(value);
        let power = power.map_err(|fault| fault.of(Operator::Power.symbol(), *position))?;
        value = signed(*sign, power);
    }
    Ok(value)
}

fn call(function: &Function, position: usize, arguments: &[Node]) -> Result<Number, Mistake> {
    let mut values = Vec::with_capacity(arguments.len());
    for argument in arguments {
        values.push(evaluate(argument)?);
    }
    function.call(&values).map_err(|fault| fault.of(function.name, position))
}

fn signed(sign: Sign, number: Number) -> Number {
    match sign {
        Sign::Plus => number,
        Sign::Minus => number.negate(),
    }
}

fn apply(operator: Operator, left: Number, right: Number) -> Result<Number, Fault> {
    match operator {
        Operator::Add => left.add(right),
        Operator::Subtract => left.subtract(right),
        Operator::Multiply => left.multiply(right),
        Operator::Divide => left.divide(right),
        Operator::FloorDivide => left.floor_divide(right),
        Operator::Modulo => left.modulo(right),
        Operator::Power => left.power(right),
    }
}
