export default async ({ React, mui }) => {
    const { Accordion, AccordionDetails, AccordionSummary } = await mui();
    return {
        Fold({ title, children }) {
            const [isOpen, setOpen] = React.useState(true);
            return (React.createElement(Accordion, { expanded: isOpen, onChange: (_event, isNowOpen) => setOpen(isNowOpen) },
                React.createElement(AccordionSummary, null, title),
                React.createElement(AccordionDetails, null, children)));
        },
    };
};
